"""What clients ask our server, and what a right answer is."""

import json
from typing import Any

Json = dict[str, Any]


def vacation(employee: int, year: int = 2025) -> Json:
    arguments = {"employee_id": f"EMP{employee:03}", "year": year}
    return {"name": "calculate_vacation_days", "arguments": arguments}


QUESTIONS: Json = {
    "call": vacation(1),
    "bad_call": {"name": "calculate_vacation_days", "arguments": {"employee_id": "EMP001", "year": "soon"}},
    "unknown_tool": {"name": "calculate_vacations", "arguments": {}},
    "at_once": [vacation(employee, year) for employee in range(1, 11) for year in (2024, 2026)],
    "prompt": {"name": "answer_from_documents", "arguments": {"question": "연차는 며칠인가요?"}},
    "resource": "docs://1",
    "unknown_resource": "docs://none",
}
TOOLS = {"calculate_vacation_days", "get_all_employees", "get_employee_info", "search_docs"}
"""What every server of ours has; a test may have given it more."""
WHY = "year: wanted integer"
"""What is wrong with the bad call."""
OPENING = "연차 휴가는 입사일을 기준으로"
"""How the resource begins."""


def assert_answered(answer: Json, question: Json) -> None:
    assert answer["isError"] is False
    assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
    assert answer["structuredContent"]["result"].items() >= question["arguments"].items()
