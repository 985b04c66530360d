"""Tools are called through one door, and one kind of result comes out of it, whatever happens inside."""

import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from db import calls
from db.arguments import BadArguments, fitted, signature
from db.database import Database
from db.registry import Registry
from db.result import ToolFailed, ToolResult
from db.schema import Field, schema_of
from db.tool import LOOKS_UP, Hints, Tool
from mcp_server.registry import default_registry, execute_tool
from mcp_server.tools.employees import days_of_service
from proxy.core.tools import Tools


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with default_registry(str(tmp_path / "mcp_data.db")) as opened:
        yield opened


def result(registry: Registry, tool: str, arguments: Any) -> Any:
    answer = registry.call(tool, arguments, "test")
    assert not answer.failure, answer.text
    return answer.value


def failure(registry: Registry, tool: str, arguments: Any) -> tuple[str, str]:
    answer = registry.call(tool, arguments, "test")
    assert answer.failure
    assert answer.as_json() == {"success": False, "error": answer.failure.message}
    return answer.failure.reason, answer.failure.message


# ---- the tools of the specification


def test_get_employee_info_of_emp001(registry: Registry) -> None:
    info = result(registry, "get_employee_info", {"employee_id": "EMP001"})
    assert info.pop("days_of_service") > 2000
    assert info == {"id": "EMP001", "name": "김민준", "department": "개발팀", "hire_date": "2019-03-04"}


def test_days_of_service() -> None:
    assert days_of_service("2024-02-28", date(2024, 3, 1)) == 2
    assert days_of_service("2030-01-01", date(2024, 3, 1)) == 0


@pytest.mark.parametrize(
    ("written", "says"), [("김민준", "EMP001 (김민준)"), ("EMP999", "from EMP001 to EMP012"), ("", "12")]
)
def test_who_is_not_found_is_told_who_there_is(registry: Registry, written: str, says: str) -> None:
    reason, message = failure(registry, "get_employee_info", {"employee_id": written})
    assert reason == "failed"
    assert says in message


def test_get_all_employees(registry: Registry) -> None:
    everyone = result(registry, "get_all_employees", {})
    assert everyone[0] == {"id": "EMP001", "name": "김민준"}
    assert len(everyone) == 12


def test_calculate_vacation_days(registry: Registry) -> None:
    days = result(registry, "calculate_vacation_days", {"employee_id": "EMP001", "year": 2025})
    assert days == {
        "employee_id": "EMP001", "name": "김민준", "year": 2025, "total": 17, "used": 8.5, "remaining": 8.5
    }  # fmt: skip


def test_a_year_of_which_nothing_is_known_names_the_years(registry: Registry) -> None:
    message = failure(registry, "calculate_vacation_days", {"employee_id": "EMP001", "year": 1999})[1]
    assert "2024, 2025, 2026" in message
    assert "get_all_employees" in failure(registry, "calculate_vacation_days", {"employee_id": "x", "year": 2025})[1]


def test_search_docs_in_korean(registry: Registry) -> None:
    found = result(registry, "search_docs", {"query": "연차 휴가"})
    assert found["documents"][0]["title"] == "연차 휴가 규정"
    assert "연차 휴가는 입사일을" in found["documents"][0]["passage"]


def test_search_docs_says_what_to_do_when_there_is_nothing(registry: Registry) -> None:
    found = result(registry, "search_docs", {"query": "xyzzy"})
    assert (found["found"], found["documents"]) == (0, [])
    assert "인사" in found["note"]
    assert failure(registry, "search_docs", {"query": "  "})[0] == "failed"
    assert "Found instead: 경조금" in result(registry, "search_docs", {"query": "경조금액"})["note"]


def test_execute_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRICTCALL_DB", str(tmp_path / "mcp_data.db"))
    answer = execute_tool("calculate_vacation_days", {"employee_id": "EMP002", "year": "2024"})
    assert answer["success"] is True
    assert answer["result"]["remaining"] == 0
    assert execute_tool("no_such_tool", {})["success"] is False


def test_results_fit_the_schemas_that_are_promised(registry: Registry) -> None:
    for tool, arguments in [
        ("get_employee_info", {"employee_id": "EMP010"}),
        ("search_docs", {"query": "휴가"}),
        ("calculate_vacation_days", {"employee_id": "EMP010", "year": 2026}),
    ]:
        schema = next(one.output_schema for one in registry.tools() if one.name == tool)
        answer = registry.call(tool, arguments, "test")
        assert not answer.failure
        assert fitted(answer.structured, schema) == answer.structured


def test_results_keep_the_promise_whatever_a_table_of_the_users_own_holds(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    own = sqlite3.connect(path)
    own.executescript(
        "CREATE TABLE documents (id, title, content, category);"
        "CREATE TABLE employees (id, name, department, hire_date);"
        "CREATE TABLE vacations (employee_id, year, total, used);"
        "INSERT INTO documents VALUES (NULL, NULL, '점심', NULL), (2.5, 7, '점심', x'41'), ('D7', 'a', '점심', '');"
        "INSERT INTO employees VALUES ('EMP001', NULL, NULL, '2020-01-01'), (900, 7, 7, NULL);"
        "INSERT INTO vacations VALUES ('EMP001', 2025, '15', NULL);"
    )
    own.close()
    with default_registry(str(path)) as registry:
        for tool, arguments in [
            ("get_all_employees", {}),
            ("get_employee_info", {"employee_id": "EMP001"}),
            ("get_employee_info", {"employee_id": "900"}),
            ("search_docs", {"query": "점심"}),
            ("calculate_vacation_days", {"employee_id": "EMP001", "year": 2025}),
        ]:
            schema = next(one.output_schema for one in registry.tools() if one.name == tool)
            answer = registry.call(tool, arguments, "test")
            assert fitted(answer.structured, schema) == answer.structured
            assert not answer.failure or answer.failure.reason == "failed"
        assert result(registry, "calculate_vacation_days", {"employee_id": "EMP001", "year": 2025})["remaining"] == 15


def test_a_tool_that_says_it_only_reads_cannot_write(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def forget(database: Database) -> str:
        """Forget all calls, and say otherwise."""
        return str(calls.prune(database))

    for hints, reason in [(LOOKS_UP, "bug"), (Hints(), None)]:
        with Registry([Tool.of(forget, hints)], Database(str(tmp_path / "mcp_data.db"))) as registry:
            answer = registry.call("forget", {}, "test")
        assert (answer.failure and answer.failure.reason) == reason
    assert "read_only=False" in caplog.text


def test_a_hire_date_that_is_no_date_says_where_to_mend_it(registry: Registry) -> None:
    with registry.database.writing() as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE employees SET hire_date = '2019/03/04'")
    assert "not YYYY-MM-DD" in failure(registry, "get_employee_info", {"employee_id": "EMP001"})[1]


# ---- what is offered


def test_tools_are_offered_as_openai_has_them(registry: Registry) -> None:
    offered = registry.openai_tools()
    assert [one["function"]["name"] for one in offered] == [
        "calculate_vacation_days", "close_viewer", "get_all_employees", "get_employee_info",
        "list_viewers", "open_markdown", "search_docs", "update_markdown"
    ]  # fmt: skip
    assert {one["type"] for one in offered} == {"function"}
    assert json.loads(json.dumps(offered)) == offered
    assert len(Tools.of(offered).all) == len(offered)


def test_types_and_values_stand_in_the_descriptions(registry: Registry) -> None:
    year = registry.openai_tools()[0]["function"]["parameters"]["properties"]["year"]
    assert year["type"] == "integer"
    assert "integer" in year["description"]
    assert "2025" in year["description"]


def test_a_tool_that_is_switched_off_is_neither_offered_nor_called(registry: Registry) -> None:
    registry.switch("search_docs", enabled=False)
    assert "search_docs" not in [one["function"]["name"] for one in registry.openai_tools()]
    reason, message = failure(registry, "search_docs", {"query": "연차"})
    assert reason == "switched_off"
    assert "get_all_employees" in message
    with default_registry(registry.database.path) as another:
        assert "search_docs" not in [tool.name for tool in another.tools()]
        another.switch("search_docs", enabled=True)
    assert "search_docs" in [tool.name for tool in registry.tools()]


# ---- arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {"employee_id": "EMP001", "year": "2025"},
        {"employee_id": "EMP001", "year": 2025.0},
        {"employee_id": " emp001 ", "year": " 2025 "},
        {"employeeId": "EMP001", "YEAR": 2025},
        {"employee-id": "EMP001", "year": 2025, "note": None},
        '{"employee_id": "EMP001", "year": 2025}',
    ],
)
def test_arguments_are_mended_where_the_meaning_is_plain(registry: Registry, arguments: Any) -> None:
    assert result(registry, "calculate_vacation_days", arguments)["remaining"] == 8.5


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "employee_id is missing; year is missing"),
        ({"employee_id": "EMP001", "year": "next"}, "year: wanted integer, at least 1900"),
        ({"employee_id": "EMP001", "year": 2025.5}, "got 2025.5"),
        ({"employee_id": "EMP001", "year": True}, "got True"),
        ({"employee_id": "EMP001", "year": 10**30}, "at most 2999"),
        ({"employee_id": "EMP001", "year": "9" * 10_000}, "year: wanted"),
        ({"employee_id": "EMP001", "year": float("nan")}, "year: wanted"),
        ({"employee_id": "EMP001", "year": None}, "year: wanted"),
        ({"employee_id": ["EMP001"], "year": 2025}, "employee_id: wanted string"),
        ({"employee_id": "E" * 1000, "year": 2025}, "at most 100 characters"),
        ({"employe_id": "EMP001", "year": 2025}, "did you mean employee_id?"),
        ({"employee_id": "EMP001", "employeeId": "EMP002", "year": 2025}, "given twice"),
        ([], "must be a JSON object, not list"),
        ("nonsense", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (7, "must be a JSON object"),
    ],
)
def test_arguments_that_do_not_fit_are_named_with_what_is_wanted(registry: Registry, arguments: Any, says: str) -> None:
    reason, message = failure(registry, "calculate_vacation_days", arguments)
    assert reason == "bad_arguments"
    assert says in message
    assert "It takes: employee_id (string" in message


class Place(TypedDict):
    x: int
    label: NotRequired[str]


WIDE = {
    "type": "object",
    "properties": {
        "unit": schema_of(Literal["m", "ft"]),
        "tags": schema_of(list[str]),
        "flag": schema_of(bool),
        "ratio": schema_of(float | None),
        "any": schema_of(Any),
        "place": schema_of(Place),
        "counts": schema_of(dict[str, int]),
        "mixed": schema_of(int | list[int]),
    },
    "required": [],
}


@pytest.mark.parametrize(
    ("given", "fit"),
    [
        ({"unit": "FT"}, {"unit": "ft"}),
        ({"tags": "one"}, {"tags": ["one"]}),
        ({"tags": [1, "b"]}, {"tags": ["1", "b"]}),
        ({"flag": "Yes"}, {"flag": True}),
        ({"flag": 0}, {"flag": False}),
        ({"flag": None}, {}),
        ({"ratio": None}, {"ratio": None}),
        ({"ratio": "0.5"}, {"ratio": 0.5}),
        ({"ratio": "null"}, {"ratio": None}),
        ({"any": {"a": [1]}}, {"any": {"a": [1]}}),
        ({"place": {"X": "3"}}, {"place": {"x": 3}}),
        ({"counts": {"a": "1"}}, {"counts": {"a": 1}}),
        ({"mixed": [1]}, {"mixed": [1]}),
        ({"mixed": "4"}, {"mixed": 4}),
    ],
)
def test_values_are_brought_to_their_types(given: dict[str, Any], fit: dict[str, Any]) -> None:
    assert fitted(given, WIDE) == fit


@pytest.mark.parametrize(
    "given", [{"unit": "mile"}, {"flag": "maybe"}, {"ratio": "x"}, {"place": {}}, {"place": 3}, {"counts": {"a": "b"}}]
)
def test_values_that_cannot_be_brought_to_their_type_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadArguments):
        fitted(given, WIDE)


def test_a_schema_that_is_written_by_hand_need_not_name_what_there_is_none_of() -> None:
    schema = {"type": "object", "properties": {"seats": {"type": "integer"}}}
    assert fitted({"seats": "2"}, schema) == {"seats": 2}
    assert fitted({}, {"type": "object"}) == {}
    assert [signature(schema), signature({"type": "object"})] == ["seats (integer, optional)", "no arguments"]


def test_half_a_character_does_no_harm(registry: Registry) -> None:
    assert result(registry, "search_docs", {"query": "연차 \ud800"})["found"] == 2


# ---- a tool is a typed function


def test_a_tool_is_made_from_its_signature() -> None:
    def greet(
        name: Annotated[str, "Whom."], *, loud: bool = False, times: Annotated[int, Field("How often.", minimum=1)] = 1
    ) -> str:
        """Greet somebody.

        Returns the greeting.
        """
        return f"{name}{loud}{times}"

    tool = Tool.of(greet, LOOKS_UP, timeout=3)
    assert tool.description == "Greet somebody.\n\nReturns the greeting."
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Whom. Type: string."},
            "loud": {"type": "boolean", "default": False, "description": "Type: boolean. If left out: False."},
            "times": {
                "type": "integer",
                "minimum": 1,
                "default": 1,
                "description": "How often. Type: integer, at least 1. If left out: 1.",
            },
        },
        "required": ["name"],
        "additionalProperties": False,
    }
    assert tool.output_schema["properties"]["result"] == {"type": "string"}
    assert (tool.hints.read_only, tool.timeout) == (True, 3)


def no_docstring(a: int) -> int:
    return a


def no_type(a) -> int:  # type: ignore[no-untyped-def]  # noqa: ANN001 - which is the point
    """Say so."""
    return int(a)


def any_number(*numbers: int) -> int:
    """Say so."""
    return len(numbers)


def no_schema(a: complex) -> complex:
    """Say so."""
    return a


@pytest.mark.parametrize("function", [no_docstring, no_type, any_number, no_schema])
def test_a_function_that_is_no_tool_is_refused_with_the_reason(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=r"write|docstring|name|use"):
        Tool.of(function)


# ---- nothing else comes out


def breaks() -> str:
    """Break."""
    raise RuntimeError("the secret is 42")


def leaves() -> str:
    """Leave."""
    raise SystemExit(3)


def refuses() -> str:
    """Refuse."""
    raise ToolFailed("bring a key")


def is_odd() -> Any:
    """Return what is no JSON."""
    return {"a": {1, 2}}


def is_nan() -> float:
    """Return what is no number."""
    return float("nan")


def is_silent() -> None:
    """Return nothing."""


def speaks() -> str:
    """Return text."""
    return "안녕"


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Registry]:
    tools = [Tool.of(one) for one in (breaks, leaves, refuses, is_odd, is_nan, is_silent, speaks)]
    with Registry(tools, Database(str(tmp_path / "mcp_data.db"))) as opened:
        yield opened


@pytest.mark.parametrize("tool", ["breaks", "leaves", "is_odd", "is_nan"])
def test_a_faulty_tool_is_logged_and_tells_no_secrets(
    odd: Registry, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        reason, message = failure(odd, tool, {})
    assert reason == "bug"
    assert "42" not in message
    assert caplog.records[0].exc_info


def test_text_nothing_and_a_refusal(odd: Registry) -> None:
    assert odd.call("speaks", {}, "test") == ToolResult.of("안녕")
    assert odd.call("is_silent", {}, "test").as_json() == {"success": True, "result": None}
    assert failure(odd, "refuses", {}) == ("failed", "bring a key")


def test_a_tool_that_takes_too_long_is_given_up_on(tmp_path: Path) -> None:
    release = threading.Event()

    def waits() -> str:
        """Wait."""
        release.wait(30)
        return "late"

    with Registry([Tool.of(waits, timeout=0.01)], Database(str(tmp_path / "mcp_data.db"))) as registry:
        assert failure(registry, "waits", {})[0] == "timeout"
    release.set()


def test_an_unknown_tool_is_told_the_nearest(registry: Registry) -> None:
    assert "did you mean get_employee_info" in failure(registry, "get_employee", {})[1]
    assert "tools that can be called: calculate_vacation_days" in failure(registry, "zzz", {})[1]


@pytest.mark.parametrize("name", [None, 7, [], "", "\ud800", "x" * 100_000])
def test_whatever_is_asked_there_is_an_answer(registry: Registry, name: Any) -> None:
    answer = registry.call(name, {}, "test")
    assert answer.failure
    assert len(answer.text) < 1_000
    circle: dict[Any, Any] = {}
    circle["a"] = circle
    assert registry.call("search_docs", circle, "test").failure
    assert registry.call("search_docs", {("a",): object()}, "test").failure


def test_a_database_that_cannot_be_used_is_an_answer_too(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("no database" * 1000)
    with default_registry(str(path)) as registry:
        reason, message = failure(registry, "get_all_employees", {})
    assert reason == "failed"
    assert "STRICTCALL_DB" in message


def test_a_database_that_loses_its_tables_is_an_answer_too(registry: Registry) -> None:
    with registry.database.writing() as connection:
        connection.execute("DROP TABLE vacations")
        connection.execute("DROP TABLE employees")
    reason, message = failure(registry, "get_all_employees", {})
    assert reason == "failed"
    assert "no such table" in message


# ---- the record


def test_every_call_is_written_down(registry: Registry) -> None:
    registry.call("get_employee_info", {"employee_id": "EMP001"}, "runner")
    registry.call("get_employee_info", {"employee_id": "EMP999"}, "proxy")
    registry.call("no_such_tool", "나쁜 말", "mcp")
    last = calls.latest(registry.database)
    assert [(one.tool, one.caller, one.arguments, one.outcome) for one in last] == [
        ("no_such_tool", "mcp", "나쁜 말", "unknown_tool"),
        ("get_employee_info", "proxy", '{"employee_id": "EMP999"}', "failed"),
        ("get_employee_info", "runner", '{"employee_id": "EMP001"}', "ok"),
    ]
    assert "김민준" in last[2].answer
    assert all(one.milliseconds > 0 for one in last)
