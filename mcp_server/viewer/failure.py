"""What the app answers when it cannot do what was asked."""


class Failed(Exception):  # noqa: N818 - what happened
    """`code` is for who says it in words of their own, the message for who does not."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
