"""A display that nobody looks at, for real windows."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from serving import until

SIZE = (1600, 1600)


class Seen(NamedTuple):
    """A window that can be seen."""

    number: str
    size: tuple[int, int]
    at: tuple[int, int]


class Display:
    """What can be seen on it, and what a person in front of it can do."""

    def __init__(self, name: str) -> None:
        self.environ = {**os.environ, "DISPLAY": name}
        self.environ.pop("WAYLAND_DISPLAY", None)

    def windows(self) -> dict[str, Seen]:
        """The windows that can be seen, by their titles."""
        numbers = self._xdotool("search", "--onlyvisible", "--name", ".").split()
        named = ((number, self._xdotool("getwindowname", number).strip()) for number in numbers)
        return {title: Seen(number, *self._geometry(number)) for number, title in named if title}

    def shows(self, *titles: str) -> None:
        """Wait until the windows with these titles can be seen, and no others."""
        until(lambda: set(self.windows()) == set(titles))

    def is_minimized(self, title: str) -> bool:
        """Whether there is a window with this title that cannot be seen."""
        return title not in self.windows() and bool(self._xdotool("search", "--name", f"^{title}$"))

    def close(self, title: str) -> None:
        """Close a window by its key, which is lost on one that has only just come, and else goes to the next one."""

        def closed() -> bool:
            window = self.windows().get(title)
            if window and self._is_active(window.number):
                self._xdotool("key", "ctrl+w")
                time.sleep(0.5)  # it is still there while it closes
            return not window

        until(closed)

    def click(self, title: str, x: int, y: int) -> bool:
        """Click into a window, if it is there; it is lost on one that has only just come."""
        window = self.windows().get(title)
        if window:
            self._xdotool("mousemove", "--window", window.number, str(x), str(y), "click", "1")
        return window is not None

    def is_managed(self) -> bool:
        """Whether there is one who can make a window small or cover all with it."""
        return bool(self._xdotool("get_desktop"))

    def _is_active(self, number: str) -> bool:
        """Bring a window to the front; whether it is there already."""
        self._xdotool("windowactivate", number)
        return self._xdotool("getactivewindow").strip() == number

    def _geometry(self, number: str) -> tuple[tuple[int, int], tuple[int, int]]:
        """How big it is, and where."""
        lines = self._xdotool("getwindowgeometry", "--shell", number).split()
        said = {name: int(value) for name, value in (line.split("=") for line in lines)}
        return (said.get("WIDTH", 0), said.get("HEIGHT", 0)), (said.get("X", 0), said.get("Y", 0))

    def _xdotool(self, *arguments: str) -> str:
        """What it says; nothing, of a window that has gone."""
        command = ["xdotool", *arguments]
        return subprocess.run(command, env=self.environ, capture_output=True, text=True, check=False).stdout


@contextmanager
def display() -> Iterator[Display]:
    """A new display with a window manager, under a number that no other test has."""
    needs("Xvfb", "openbox", "xdotool", "chromium")
    screen = "{}x{}x24".format(*SIZE)
    with _running(["Xvfb", "-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp"], dict(os.environ)) as server:
        assert server.stdout
        one = Display(f":{server.stdout.readline().strip()}")
        with _running(["openbox", "--sm-disable"], one.environ):
            until(one.is_managed)
            yield one


def needs(*programs: str) -> None:
    """Leave the test out if that is wished; else all of these must be there."""
    if os.environ.get("STRICTCALL_NO_BROWSER"):
        pytest.skip("STRICTCALL_NO_BROWSER is set")
    missing = [program for program in programs if not shutil.which(program)]
    assert not missing, f"this test opens real windows, and needs {', '.join(missing)}; run: .ci/browser"


@contextmanager
def _running(command: list[str], environ: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    silent = subprocess.DEVNULL
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=silent, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()
