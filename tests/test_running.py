"""A call that was started ends once: by the tool, by its caller, or by the clock."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from db import calls, workers
from db.database import Database
from db.progress import Cancelled, Progress
from db.registry import Registry
from db.result import MAX_OUTPUT, ToolResult
from db.tool import Tool

SECONDS = 20
"""How long a test waits for what should happen at once."""


class Stage:
    """A registry whose tools the test holds back and lets go."""

    def __init__(self, path: Path) -> None:
        self.database = Database(str(path))
        self.began = threading.Event()
        self.go = threading.Event()
        self.left: SimpleQueue[str] = SimpleQueue()
        self.answers: SimpleQueue[tuple[ToolResult, str]] = SimpleQueue()
        self.registry = Registry(
            [Tool.of(one) for one in (self.slow(), self.patient(), self.dreams(), counts, greets, talks, speaks)],
            self.database,
        )

    def done(self, result: ToolResult) -> None:
        self.answers.put((result, threading.current_thread().name))

    def answer(self) -> ToolResult:
        return self.answers.get(timeout=SECONDS)[0]

    def outcomes(self) -> list[str]:
        return [one.outcome for one in calls.latest(self.database)]

    def slow(self) -> Callable[..., Any]:
        def slow() -> str:
            """Wait, whatever happens."""
            self.began.set()
            self.go.wait(SECONDS)
            self.left.put("late")
            return "late"

        return slow

    def patient(self) -> Callable[..., Any]:
        def patient(progress: Progress) -> str:
            """Look now and then whether anybody waits."""
            self.began.set()
            self.go.wait(SECONDS)
            try:
                progress(1)
            except Cancelled:
                self.left.put(f"told, {progress.cancelled}")
                raise
            return "whole"

        return patient

    def dreams(self) -> Callable[..., Any]:
        async def dreams() -> None:
            """Wait for what never happens."""
            import asyncio  # noqa: PLC0415 - as a tool should

            self.began.set()
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self.left.put("woken")

        return dreams


def counts(progress: Progress, to: int = 2) -> int:
    """Count."""
    for number in range(to):
        progress(number, to, f"{number} of {to}")
    return to


async def greets(name: str, progress: Progress) -> str:
    """Greet, but not at once."""
    import asyncio  # noqa: PLC0415 - as a tool should

    await asyncio.sleep(0)
    progress(1)
    return f"안녕 {name}"


def talks(length: int) -> str:
    """Talk."""
    return "x" * length


def speaks() -> ToolResult:
    """Say a text with an object beside it."""
    return ToolResult.said("말", {"own": True})


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "mcp_data.db")
    yield made
    made.go.set()
    made.registry.close()


def test_to_start_a_call_is_not_to_wait_for_it(stage: Stage) -> None:
    running = stage.registry.start("slow", {}, "test", stage.done)
    assert stage.began.wait(SECONDS)
    assert stage.answers.empty()
    assert running.timeout == 10
    stage.go.set()
    result, thread = stage.answers.get(timeout=SECONDS)
    assert result.value == "late"
    assert thread != threading.current_thread().name
    assert stage.outcomes() == ["ok"]


@pytest.mark.parametrize("end", ["cancel", "expire"])
def test_a_call_that_was_given_up_ends_at_once_and_its_late_answer_is_dropped(stage: Stage, end: str) -> None:
    running = stage.registry.start("slow", {}, "test", stage.done)
    assert stage.began.wait(SECONDS)
    getattr(running, end)()
    failure = stage.answer().failure
    assert failure
    assert failure.reason == {"cancel": "cancelled", "expire": "timeout"}[end]
    stage.go.set()
    assert stage.left.get(timeout=SECONDS) == "late"
    running.cancel()
    running.expire()
    assert stage.registry.call("speaks", {}, "test").text == "말"
    assert stage.outcomes() == ["ok", failure.reason]
    assert stage.answers.empty()


def test_a_tool_is_told_that_nobody_waits(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    running = stage.registry.start("patient", {}, "test", stage.done)
    assert stage.began.wait(SECONDS)
    running.cancel()
    stage.go.set()
    assert stage.left.get(timeout=SECONDS) == "told, True"
    assert stage.answer().failure
    assert not caplog.records


@pytest.mark.parametrize("end", ["cancel", "expire"])
def test_a_coroutine_is_ended_where_it_awaits(stage: Stage, caplog: pytest.LogCaptureFixture, end: str) -> None:
    running = stage.registry.start("dreams", {}, "test", stage.done)
    assert stage.began.wait(SECONDS)
    getattr(running, end)()
    assert stage.left.get(timeout=SECONDS) == "woken"
    assert stage.answer().failure
    assert not caplog.records


def test_progress_is_reported_while_the_tool_works(stage: Stage) -> None:
    seen: list[tuple[float, float | None, str]] = []
    assert stage.registry.call("counts", {}, "test", lambda *step: seen.append(step)).value == 2
    assert seen == [(0, 2, "0 of 2"), (1, 2, "1 of 2")]
    assert stage.registry.call("counts", {"to": 3}, "test").value == 3


def test_what_the_registry_gives_is_not_asked_of_the_caller() -> None:
    assert Tool.of(counts).input_schema["properties"].keys() == {"to"}


def test_a_tool_may_be_a_coroutine(stage: Stage) -> None:
    assert stage.registry.call("greets", {"name": "김민준"}, "test").value == "안녕 김민준"


def test_an_answer_that_is_too_long_is_refused_with_what_to_do(stage: Stage) -> None:
    around = len(ToolResult.of("").text)
    assert not stage.registry.call("talks", {"length": MAX_OUTPUT - around}, "test").failure
    failure = stage.registry.call("talks", {"length": MAX_OUTPUT}, "test").failure
    assert failure
    assert failure.reason == "too_long"
    assert "ask for less" in failure.message
    complaint = stage.registry.call("talks", {f"no{number}": 1 for number in range(50_000)}, "test")
    assert (complaint.failure or failure).message.endswith("ask for less")
    assert len(complaint.text) < 1_000


def test_a_tool_with_a_result_of_its_own_promises_no_more_than_an_object() -> None:
    assert Tool.of(speaks).output_schema == {"type": "object"}


# ---- the threads


def test_tools_that_are_stuck_keep_nobody_waiting(stage: Stage) -> None:
    for _ in range(2 * workers.KEPT):
        stage.registry.start("slow", {}, "test", stage.done)
    assert stage.registry.call("counts", {}, "test").value == 2
    stage.go.set()
    assert {stage.answer().value for _ in range(2 * workers.KEPT)} == {"late"}


def test_threads_are_used_again() -> None:
    used: SimpleQueue[threading.Thread] = SimpleQueue()
    seen = set()
    for _ in range(100):
        workers.run(lambda: used.put(threading.current_thread()))
        seen.add(used.get(timeout=SECONDS))
    assert len(seen) <= workers.KEPT + 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_does_not_wait_for_threads_that_it_has_not(stage: Stage) -> None:
    assert stage.registry.call("counts", {}, "test").value == 2
    child = os.fork()
    if not child:
        done = threading.Event()
        workers.run(done.set)
        os._exit(0 if done.wait(SECONDS) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
