"""The process of the native windows: it does what is asked on its input, a line of JSON each, and answers its number.

    {"number": 1, "do": "show", "window": "7f…", "url": "http://…", "size": [720, 1024], "foreground": true}
    {"number": 2, "do": "change", "window": "7f…", "title": "Ferries", "pinned": true}
    {"number": 3, "do": "hide", "window": "7f…"}

It is a process of its own because pywebview wants the main thread. It ends with its last window, and with its input.
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any, Final, cast

import webview

Request = dict[str, Any]

windows: Final[dict[str, webview.Window]] = {}


def main() -> None:
    """Open the first window, and serve until the last is closed."""
    requests = map(json.loads, sys.stdin)
    first = next(requests)
    create(first)
    webview.start(serve, (first, requests))
    os._exit(0)  # the thread that reads would wait for more


def serve(first: Request, requests: Iterator[Request]) -> None:
    """Do what is asked; runs beside the windows."""
    windows[first["window"]].events.shown.wait()
    answer(first)
    for request in requests:
        obey(request)
        answer(request)
    os._exit(0)


def answer(request: Request) -> None:
    """Say that it is done."""
    sys.stdout.write(f"{request['number']}\n")
    sys.stdout.flush()


def obey(request: Request) -> None:
    """Do one thing; nothing, to a window that its person has closed."""
    window = windows.get(request["window"])
    match request["do"]:
        case "show":
            create(request).events.shown.wait()
        case "change" if window:
            window.set_title(request["title"])
            if window.on_top != request["pinned"]:  # it would be drawn anew
                window.on_top = request["pinned"]
        case "hide" if window:
            window.destroy()
        case _:
            pass


def create(request: Request) -> webview.Window:
    """Make a window; it is shown as soon as pywebview runs."""
    name, size = request["window"], request["size"]
    width, height = size or (1080, 1440)
    made = webview.create_window(
        "strictcall",
        request["url"],
        width=width,
        height=height,
        fullscreen=size is None and request["foreground"],
        minimized=not request["foreground"],
        text_select=True,
        zoomable=True,
    )
    window = windows[name] = cast("webview.Window", made)  # it is none in the process of another only
    window.events.closed += lambda: windows.pop(name, None)
    return window


if __name__ == "__main__":
    main()
