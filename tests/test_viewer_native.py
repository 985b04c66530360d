"""Native windows: the real process, with a pywebview that writes down what it is told.

The real one is half a gigabyte on Linux. It was seen by hand, with Qt: its windows have the title and the size that
they were given, fill the screen, open minimized, stay above others, and are closed by us and by their person.
"""

import os
from pathlib import Path

import pytest
from steering import Steered

from mcp_server.viewer.screens.native import Native
from mcp_server.viewer.screens.screen import NotShown

ROOT = Path(__file__).parent.parent
WEBVIEW = """
import os, threading

print("chatter, which is no answer")
windows = []
last = threading.Event()

def say(*words):
    with open(os.environ["TOLD"], "a") as file:
        print(*words, file=file)

class Closed(list):
    def __iadd__(self, callback):
        self.append(callback)
        return self

class Events:
    def __init__(self):
        self.shown, self.closed = threading.Event(), Closed()

class Window:
    def __init__(self, url, how):
        self.events, self.title, self.url, self._on_top = Events(), "", url, False
        say("create", url, how["width"], how["height"], *(name for name in ("fullscreen", "minimized") if how[name]))
        windows.append(self)

    def set_title(self, title):
        say("title", title)
        if title == "Closing!":  # as by its person
            self.destroy()

    @property
    def on_top(self):
        return self._on_top

    @on_top.setter
    def on_top(self, pinned):
        self._on_top = pinned
        say("on top", pinned)

    def destroy(self):
        say("destroy", self.url)
        windows.remove(self)
        for callback in self.events.closed:
            callback()
        if not windows:
            last.set()

def create_window(title, url, **how):
    window = Window(url, how)
    if started.is_set():
        window.events.shown.set()
    return window

started = threading.Event()

def start(func, args):
    started.set()
    for window in windows:
        window.events.shown.set()
    threading.Thread(target=func, args=args).start()
    last.wait()
"""


class Told:
    def __init__(self, folder: Path) -> None:
        (folder / "webview.py").write_text(WEBVIEW)
        self._file = folder / "told"
        self.environ = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "TOLD": str(self._file)}

    def lines(self) -> list[str]:
        return self._file.read_text().splitlines()


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


def test_windows_are_created_as_they_are_asked_for(told: Told) -> None:
    with Steered(Native(told.environ), "http://here") as screen:
        screen.show("One", "s")
        screen.show("Two", "m", foreground=False)
        screen.show("Three", "f")
        assert told.lines() == [
            "create http://here/once/One?s 480 680",
            "create http://here/once/Two?m 720 1024 minimized",
            "create http://here/once/Three?f 1080 1440 fullscreen",
        ]


def test_a_window_gets_its_title_and_is_pinned_once(told: Told) -> None:
    with Steered(Native(told.environ), "http://here") as screen:
        screen.show("One")
        screen.change("One", pinned=False)
        screen.change("One", pinned=True)
        screen.change("One", pinned=True)
        assert told.lines()[1:] == ["title One!", "title One!", "on top True", "title One!"]


def test_a_window_is_hidden_and_the_process_of_the_last_is_started_again(told: Told) -> None:
    with Steered(Native(told.environ), "http://here") as screen:
        screen.hide("never shown")
        screen.show("One")
        screen.show("Two")
        screen.hide("One")
        screen.hide("One")
        screen.hide("Two")
        screen.show("Three")
        assert [line.split("/")[-1] for line in told.lines()[2:]] == ["One?s", "Two?s", "Three?s 480 680"]


def test_a_window_that_its_person_has_closed_is_left_alone(told: Told) -> None:
    with Steered(Native(told.environ), "http://here") as screen:
        screen.show("One")
        screen.show("Closing")
        screen.change("Closing", pinned=False)
        screen.change("Closing", pinned=False)
        screen.hide("Closing")
        assert told.lines()[2:] == ["title Closing!", "destroy http://here/once/Closing?s"]


def test_a_pywebview_that_cannot_work_shows_nothing(tmp_path: Path) -> None:
    (tmp_path / "webview.py").write_text("raise ImportError('no Qt, no GTK')")
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    with (
        Steered(Native(environ), "http://here") as screen,
        pytest.raises(NotShown, match="pywebview can show no window"),
    ):
        screen.show("One")
