"""Tools found again under the names that models give them."""

import pytest

from proxy.core.tools import Tools

TOOLS = Tools.of(
    [
        {"type": "function", "function": {"name": "get_tide", "parameters": {}}},
        {"name": "calendar.create_event", "inputSchema": {}},
        {"name": "same-name"},
        {"name": "same_name"},
        {"name": "날씨_조회"},
    ]
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("get_tide", "get_tide"),
        ("get-tide", "get_tide"),
        ("getTide", "get_tide"),
        ("GET_TIDE", "get_tide"),
        (" get_tide ", "get_tide"),
        ("`get_tide`", "get_tide"),
        ("get_tide()", "get_tide"),
        ("functions.get_tide", "get_tide"),
        ("functions.get_tide:3", "get_tide"),
        ("default_api.get_tide", "get_tide"),
        ("tools.get_tide", "get_tide"),
        ("get_tide.get_tide", "get_tide"),
        ("get_tide<|channel|>commentary", "get_tide"),
        ("calendar_create_event", "calendar.create_event"),
        ("same-name", "same-name"),
        ("same_name", "same_name"),
        ("날씨_조회", "날씨_조회"),
        ("날씨-조회", "날씨_조회"),
    ],
)
def test_a_name_is_mended(written: str, meant: str) -> None:
    tool = TOOLS.find(written)
    assert tool is not None
    assert tool.name == meant


@pytest.mark.parametrize("written", ["", "get", "get_tides", "create_event", "sameName", "re.get_tide", "launch"])
def test_a_name_that_was_not_offered_is_none(written: str) -> None:
    assert TOOLS.find(written) is None
