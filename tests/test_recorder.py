"""The record of calls while somebody else writes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from db import calls
from db.database import Database
from mcp_server.registry import default_registry


@contextmanager
def unsaved(path: Path) -> Iterator[sqlite3.Connection]:
    """An editor with a change that is not saved yet."""
    with closing(sqlite3.connect(path, isolation_level=None)) as editor:
        editor.execute("BEGIN IMMEDIATE")
        editor.execute("UPDATE employees SET department = '총무팀' WHERE id = 'EMP001'")
        yield editor


def asked(path: Path) -> list[str]:
    with closing(Database(str(path))) as database:
        return [call.arguments for call in calls.latest(database)]


def test_answers_come_while_somebody_writes_and_are_recorded_in_order_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    with default_registry(str(path)) as registry:
        registry.call("get_all_employees", {}, "test")
        with unsaved(path) as editor:
            for number in range(1, 6):
                arguments = {"employee_id": f"EMP00{number}"}
                assert registry.call("get_employee_info", arguments, "test").failure is None
            assert asked(path) == ["{}"]
            editor.execute("COMMIT")
        registry.call("get_all_employees", {}, "test")
    assert asked(path)[::-1] == ["{}", *(f'{{"employee_id": "EMP00{number}"}}' for number in range(1, 6)), "{}"]


def test_what_cannot_be_recorded_does_not_hold_up_the_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "data.db"
    registry = default_registry(str(path))
    registry.call("get_all_employees", {}, "test")
    with unsaved(path):
        assert registry.call("get_all_employees", {}, "test").failure is None
        registry.close()
    assert "not recorded" in caplog.text
