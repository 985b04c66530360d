"""A program: a Mermaid diagram on standard input, an SVG image on standard output.

It is a process of its own (`diagrams`) that can be ended: there are diagrams for which the library does not come to an
end. Its own limits are those it has for input from anybody.
"""

import json
import sys
from typing import Final

_OPTIONS: Final = {
    "resources": {"profile": "constrained"},
    "svg": {"pipeline": "resvg-safe"},  # labels as text of the image, not as HTML within it
    "site_config": {"theme": "default"},
}


def main() -> None:
    """Draw; a diagram that cannot be drawn leaves the output empty."""
    import merman  # type: ignore[import-not-found,import-untyped,unused-ignore]  # noqa: PLC0415 - an extra

    source = sys.stdin.buffer.read().decode()
    try:
        image = merman.Merman().render_svg(source, json.dumps(_OPTIONS))
    except merman.MermanError:
        return
    sys.stdout.buffer.write(image.encode())


if __name__ == "__main__":
    main()
