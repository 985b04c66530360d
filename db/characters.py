"""Text that can be written down."""


def whole(text: str) -> str:
    """The text without halves of characters (lone surrogates), which neither UTF-8 nor SQLite can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
