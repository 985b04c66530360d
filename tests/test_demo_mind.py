"""What the demo models do with a request: the obvious thing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.core.ask import Ask, Function, Message
from proxy.core.coerce import fits
from proxy.core.prompt_tools import prompted
from proxy.core.schema import Schema
from proxy.upstream.demo.filling import filled
from proxy.upstream.demo.mind import Answer, answer

S, INT, N, B = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))


def tool(name: str, description: str = "", /, required: str | None = None, **properties: Any) -> dict[str, Any]:
    """A tool; all its parameters are required if not told otherwise."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(properties) if required is None else required.split(),
            },
        },
    }


UNIT = {"type": "string", "enum": ["celsius", "fahrenheit"]}
WEATHER = tool("get_weather", "Get the current weather in a city", required="city", city=S, unit=UNIT)
LOCATED = tool("get_current_weather", "Get the current weather", required="location", location=S, format=UNIT)
ADD = tool("add", "Add two numbers", a=INT, b=INT)
MULTIPLY = tool("multiply", "Multiply two numbers", a=N, b=N)
SEARCH = tool("search", "Search the web", query=S)
DOCS = tool("search_docs", "Search the documents", required="query", query=S, limit=INT)
TIME = tool("get_time", "The time in a timezone", timezone=S)
READ = tool("read_file", "Read a file", path=S)
EMPLOYEE = tool("get_employee_info", "Facts about one employee", employee_id=S)
EMPLOYEES = tool("list_employees", "All employees")
VACATION = tool("calculate_vacation_days", "Vacation days that are left", employee_id=S, year=INT)
PING = tool("ping", "Is the server there?")
EMAIL = tool("send_email", "Send an email", to=S, subject=S, body=S)
OFFICE = [EMPLOYEES, EMPLOYEE, VACATION, DOCS, PING]
SUMS = [ADD, MULTIPLY]
ALL = [WEATHER, ADD, MULTIPLY, SEARCH, TIME, READ, EMAIL, *OFFICE]
BOOK = tool(
    "book_table",
    "Book a table in a restaurant",
    required="guests restaurant",
    guests=INT,
    restaurant={"type": "object", "properties": {"name": S, "city": S}, "required": ["name"]},
    dishes={"type": "array", "items": S},
    outside=B,
)
UNTYPED = {
    "name": "read_file",
    "description": "Returns full contents of a given file.",
    "parameters": {"properties": {"uri": {"description": "The path"}, "page_number": {"description": "Optional."}}},
}
LOOSE = {
    "type": "function",
    "function": {
        "name": "get_forecast",
        "strict": True,
        "parameters": {
            "$defs": {"Place": {"type": "object", "properties": {"city": S}, "required": ["city"]}},
            "type": "object",
            "properties": {
                "place": {"$ref": "#/$defs/Place"},
                "days": {"anyOf": [INT, {"type": "null"}]},
                "language": {"type": ["string", "null"]},
            },
            "required": ["place"],
        },
    },
}

CASES: list[tuple[list[Any], str, list[tuple[str, dict[str, Any]]]]] = [
    ([WEATHER], "What is the weather in Paris?", [("get_weather", {"city": "Paris"})]),
    ([WEATHER], "what's the weather in paris today?", [("get_weather", {"city": "paris"})]),
    (
        [WEATHER],
        "Weather in New York in fahrenheit please",
        [("get_weather", {"city": "New York", "unit": "fahrenheit"})],
    ),
    ([WEATHER], "서울 날씨 알려줘", [("get_weather", {"city": "서울"})]),
    ([WEATHER], "부산의 오늘 날씨는 어때?", [("get_weather", {"city": "부산"})]),
    (
        [LOCATED],
        "What's the weather like in San Francisco, CA?",
        [("get_current_weather", {"location": "San Francisco, CA"})],
    ),
    (
        [LOCATED],
        "What's the weather like in San Francisco, Tokyo, and Paris?",
        [("get_current_weather", {"location": city}) for city in ("San Francisco", "Tokyo", "Paris")],
    ),
    (
        ALL,
        "What is the weather in Paris and London?",
        [("get_weather", {"city": city}) for city in ("Paris", "London")],
    ),
    (ALL, "weather in paris and london", [("get_weather", {"city": city}) for city in ("paris", "london")]),
    (ALL, "서울과 부산 날씨 알려줘", [("get_weather", {"city": city}) for city in ("서울", "부산")]),
    (ALL, "Weather in Paris and London, only one call please", [("get_weather", {"city": "Paris"})]),
    (ALL, "How is the weather in Oslo right now?", [("get_weather", {"city": "Oslo"})]),
    (SUMS, "What is 2 + 3?", [("add", {"a": 2, "b": 3})]),
    (SUMS, "add 2 and 3", [("add", {"a": 2, "b": 3})]),
    (SUMS, "2 더하기 3은?", [("add", {"a": 2, "b": 3})]),
    (SUMS, "What is 2.5 times 4?", [("multiply", {"a": 2.5, "b": 4})]),
    (ALL, "Multiply 12 by 30", [("multiply", {"a": 12, "b": 30})]),
    (ALL, "what's 3 * 7", [("multiply", {"a": 3, "b": 7})]),
    (
        [tool("calculator", "Evaluate", expression=S)],
        "What is (2 + 3) * 4?",
        [("calculator", {"expression": "(2 + 3) * 4"})],
    ),
    (ALL, "Search for tide tables", [("search", {"query": "tide tables"})]),
    ([SEARCH], 'Look up "sans-IO protocol" on the web', [("search", {"query": "sans-IO protocol"})]),
    ([DOCS], "휴가 규정 문서 검색해줘", [("search_docs", {"query": "휴가 규정 문서"})]),
    (
        [DOCS],
        "Search the docs for onboarding, limit 3",
        [("search_docs", {"query": "onboarding, limit 3", "limit": 3})],
    ),
    (ALL, "What time is it in Asia/Seoul?", [("get_time", {"timezone": "Asia/Seoul"})]),
    (ALL, "What time is it in Tokyo?", [("get_time", {"timezone": "Asia/Tokyo"})]),
    (ALL, "지금 서울 시간 알려줘", [("get_time", {"timezone": "Asia/Seoul"})]),
    (ALL, "Read the file docs/README.md", [("read_file", {"path": "docs/README.md"})]),
    (ALL, "notes.txt 파일 읽어줘", [("read_file", {"path": "notes.txt"})]),
    (ALL, "What is in /etc/hosts?", [("read_file", {"path": "/etc/hosts"})]),
    (OFFICE, "Who is EMP001?", [("get_employee_info", {"employee_id": "EMP001"})]),
    (OFFICE, "EMP001 직원 정보 알려줘", [("get_employee_info", {"employee_id": "EMP001"})]),
    (OFFICE, "EMP001 2025년 연차", [("calculate_vacation_days", {"employee_id": "EMP001", "year": 2025})]),
    (
        OFFICE,
        "How many vacation days do EMP001 and EMP002 have in 2025?",
        [("calculate_vacation_days", {"employee_id": one, "year": 2025}) for one in ("EMP001", "EMP002")],
    ),
    (OFFICE, "List all employees", [("list_employees", {})]),
    (OFFICE, "직원 목록 보여줘", [("list_employees", {})]),
    (OFFICE, "전체 직원을 알려줘", [("list_employees", {})]),
    (ALL, "ping", [("ping", {})]),
    ([PING], "Please call the ping tool", [("ping", {})]),
    (
        ALL,
        'Send an email to ann@example.com with subject "Lunch" and body "At noon?"',
        [("send_email", {"to": "ann@example.com", "subject": "Lunch", "body": "At noon?"})],
    ),
    (
        [EMAIL],
        "Email bob@example.com, subject: Hello, saying the ferry is late",
        [("send_email", {"to": "bob@example.com", "subject": "Hello", "body": "the ferry is late"})],
    ),
    (
        [BOOK],
        'Book a table outside for 4 guests at "Chez Nous" in Lyon',
        [("book_table", {"guests": 4, "restaurant": {"name": "Chez Nous", "city": "Lyon"}, "outside": True})],
    ),
    (
        [tool("total", "Sum of numbers", numbers={"type": "array", "items": N})],
        "sum of 1, 2.5 and 3",
        [("total", {"numbers": [1, 2.5, 3]})],
    ),
    (
        [tool("set_tags", "Tag", tags={"type": "array", "items": S})],
        'Tag it with "red" and "big"',
        [("set_tags", {"tags": ["red", "big"]})],
    ),
    (
        [tool("set_light", "Switch a light", room=S, on=B)],
        "Switch the light in the kitchen on",
        [("set_light", {"room": "kitchen", "on": True})],
    ),
    (
        [tool("find_flight", "Find flights", origin=S, destination=S, date=S)],
        "Find a flight from Oslo to Rome on 2025-05-01",
        [("find_flight", {"origin": "Oslo", "destination": "Rome", "date": "2025-05-01"})],
    ),
    ([UNTYPED], "Read src/main.py", [("read_file", {"uri": "src/main.py"})]),
    ([LOOSE], "Forecast for Bergen for 3 days", [("get_forecast", {"place": {"city": "Bergen"}, "days": 3})]),
    ([LOOSE], "Weather forecast for Bergen", [("get_forecast", {"place": {"city": "Bergen"}})]),
    ([tool("roll_dice", "Roll dice", sides=INT)], "Use the tool, please", [("roll_dice", {"sides": 1})]),
    ([tool("roll_dice", "Roll dice", sides=INT)], "도구를 사용해줘", [("roll_dice", {"sides": 1})]),
    ([WEATHER], "Call get_weather", [("get_weather", {"city": "Seoul"})]),
    (ALL, "hi", []),
    (ALL, "Hello there!", []),
    (ALL, "안녕", []),
    (ALL, "안녕하세요!", []),
    (ALL, "Thanks!", []),
    (ALL, "Tell me a joke", []),
    ([WEATHER], "Who wrote Hamlet?", []),
    (
        [tool("convert", "Convert money", amount=N, from_currency=S, to_currency=S)],
        "Convert 100 USD to EUR",
        [("convert", {"amount": 100, "from_currency": "USD", "to_currency": "EUR"})],
    ),
    ([], "What is the weather in Paris?", []),
]


def calls(found: Answer) -> list[tuple[str, Any]]:
    return [(one.name, one.arguments) for one in found.calls]


@pytest.mark.parametrize(("tools", "request_", "expected"), CASES, ids=[case[1] for case in CASES])
def test_the_obvious_tool_gets_the_obvious_arguments(tools: list[Any], request_: str, expected: list[Any]) -> None:
    found = answer([{"role": "user", "content": request_}], tools)
    assert calls(found) == expected
    assert bool(found.text) is not bool(expected)


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def called(name: str, arguments: dict[str, Any], identity: str = "call_1") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": identity, "function": {"name": name, "arguments": arguments}}],
    }


PARIS = [asked("What is the weather in Paris?"), called("get_weather", {"city": "Paris"})]


def test_an_answer_quotes_the_result() -> None:
    found = answer([*PARIS, {"role": "tool", "tool_name": "get_weather", "content": "18 degrees, sunny"}], [WEATHER])
    assert found == Answer("Here is what get_weather says: 18 degrees, sunny")


def test_a_result_without_a_name_is_that_of_its_call() -> None:
    found = answer([*PARIS, {"role": "tool", "tool_call_id": "call_1", "content": "18 degrees"}], [WEATHER])
    assert found.text == "Here is what get_weather says: 18 degrees"


def test_every_result_is_told() -> None:
    results = [{"role": "tool", "tool_name": "add", "content": text} for text in ("5", "", "err: no")]
    found = answer([asked("2 + 3?"), *results], [ADD]).text
    assert found == "Here is what add says: 5\n\nThe result of add is empty.\n\nHere is what add says: err: no"


def test_a_result_in_json_is_told_with_every_scalar_as_it_was() -> None:
    content = (
        '{"city": "서울", "air": {"temp_now": 18.50, "dry": true, "gust": null}, "next": [1, 2], "days": [{"d": "월"}]}'
    )
    found = answer([asked("서울 날씨"), {"role": "tool", "tool_name": "get_weather", "content": content}]).text
    assert found.splitlines() == [
        "get_weather의 결과입니다:",
        "- city: 서울",
        "- air, temp now: 18.50",
        "- air, dry: true",
        "- air, gust: null",
        "- next: 1, 2",
        "- days 1, d: 월",
    ]


def test_results_in_the_prompt_are_results() -> None:
    response = '<tool_response name="get_weather">\n18 degrees\n</tool_response>'
    assert answer([*PARIS, asked(response)]).text == "Here is what get_weather says: 18 degrees"
    assert answer([*PARIS, asked("<tool_response>\n7\n</tool_response>")]).text == "Here is what the tool says: 7"


def test_a_new_request_after_results_is_a_new_request() -> None:
    told = [*PARIS, {"role": "tool", "content": "18"}, {"role": "assistant", "content": "18"}]
    assert calls(answer([*told, asked("What is 2 + 3?")], ALL)) == [("add", {"a": 2, "b": 3})]
    assert calls(answer([*told, asked("And in London?")], ALL)) == [("get_weather", {"city": "London"})]


def prompt(*tools: Any, parallel: bool = True) -> dict[str, Any]:
    """The system message of the proxy for a model that is told its tools in the prompt."""
    functions = tuple(Function(**one["function"]) for one in tools)
    found = prompted(Ask("demo/hermes", (Message("system", "Be nice."),), functions, parallel=parallel))
    return {"role": "system", "content": found.messages[0].text}


TIDE = tool(
    "get_tide",
    "Tide height at a port.",
    required="port",
    port={"type": "string", "description": "Where, as in: Brest, required"},
    unit={"enum": ["m", "ft"]},
    hours={"type": "array", "items": INT},
    at={"type": "object", "properties": {"lat": N}},
    days={"anyOf": [INT, {"type": "null"}]},
)


@pytest.mark.parametrize("tools", [[TIDE], [TIDE, WEATHER], [*ALL, TIDE]])
def test_tools_may_come_in_the_prompt(tools: list[Any]) -> None:
    found = answer([prompt(*tools), asked("Tide in Brest in ft for 3 days?")])
    assert calls(found) == [("get_tide", {"port": "Brest", "unit": "ft", "days": 3})]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case[0] and UNTYPED not in case[0] and LOOSE not in case[0]]
)
def test_it_does_not_matter_where_the_tools_come_from(case: Any) -> None:
    tools, request, expected = case
    assert calls(answer([prompt(*tools), asked(request)])) == expected


@pytest.mark.parametrize("block", [json.dumps([TIDE]), json.dumps(TIDE), "nonsense\n" + json.dumps(TIDE["function"])])
def test_a_prompt_may_hold_whole_schemas(block: str) -> None:
    system = {"role": "system", "content": f"<tools>\n{block}\n</tools>"}
    assert calls(answer([system, asked("Tide in Brest?")])) == [("get_tide", {"port": "Brest"})]


def test_a_prompt_for_one_call_gets_one() -> None:
    assert len(answer([prompt(WEATHER), asked("Weather in Paris and Rome")]).calls) == 2
    assert len(answer([prompt(WEATHER, parallel=False), asked("Weather in Paris and Rome")]).calls) == 1


def test_a_prompt_may_ask_for_one_call_at_most() -> None:
    rule = {"role": "system", "content": "Use at most one block."}
    assert len(answer([rule, asked("Weather in Paris and Rome")], [WEATHER]).calls) == 1


def test_what_a_client_adds_to_a_request_is_not_asked() -> None:
    text = "<task>\n2 + 3?\n</task>\n<environment_details>\nweather in Paris\n</environment_details>"
    assert calls(answer([asked(text)], ALL)) == [("add", {"a": 2, "b": 3})]


def formed(form: Any, text: str, tools: Any = None) -> Any:
    return json.loads(answer([asked(text)], tools, form).text)


def test_format_json_is_obeyed() -> None:
    assert isinstance(formed("json", "Hi"), dict)


def test_a_schema_is_obeyed() -> None:
    form = {
        "type": "object",
        "properties": {"name": S, "age": INT, "tags": {"type": "array", "items": S}, "mood": {"enum": ["glad", "sad"]}},
        "required": ["name", "age", "tags", "mood"],
    }
    assert formed(form, "Ann is 31 and sad") == {"name": "Ann", "age": 31, "tags": ["Ann is 31 and sad"], "mood": "sad"}


def test_a_schema_of_a_call_is_a_call() -> None:
    form = {
        "type": "object",
        "properties": {"name": {"enum": ["add", "get_weather"]}, "arguments": {"type": "object"}},
        "required": ["name", "arguments"],
    }
    assert formed(form, "Weather in Rome?", ALL) == {"name": "get_weather", "arguments": {"city": "Rome"}}
    assert formed(form, "Hi") == {"name": "add", "arguments": {}}


def test_a_choice_of_calls_is_a_call() -> None:
    shapes = [
        {
            "type": "object",
            "properties": {"name": {"const": one["function"]["name"]}, "arguments": one["function"]["parameters"]},
        }
        for one in (ADD, WEATHER)
    ]
    found = formed({"anyOf": shapes}, "Weather in Rome?", [ADD, WEATHER])
    assert found == {"name": "get_weather", "arguments": {"city": "Rome"}}


def test_a_schema_that_refers_to_itself_has_an_end() -> None:
    node = {
        "type": "object",
        "properties": {"child": {"$ref": "#/$defs/N"}, "label": S},
        "required": ["child", "label"],
    }
    assert formed({"$ref": "#/$defs/N", "$defs": {"N": node}}, "A tree")["child"]["child"]["label"]


@pytest.mark.parametrize(
    "text", ["Say this is a test", 'Reply with exactly: "this is a test"', "repeat this is a test"]
)
def test_what_is_to_be_said_is_said(text: str) -> None:
    assert answer([asked(text)], [ADD]).text == "this is a test"


def test_words_tell_what_this_is_and_which_tools_it_sees() -> None:
    assert "scripted model" in answer([asked("hi")], ALL).text
    assert "get_weather, add" in answer([asked("hi")], ALL).text
    assert "각본 모델" in answer([asked("안녕")], ALL).text
    assert answer([]).text


@pytest.mark.parametrize(
    "tools",
    [
        None,
        {},
        "x",
        [1, None, {}, {"function": 3}],
        [{"name": "t", "parameters": {"properties": [], "type": "object"}}],
        [{"name": "t", "parameters": {"$ref": "#/no"}}],
    ],
)
def test_odd_tools_are_no_trouble(tools: Any) -> None:
    odd: list[Any] = [
        {"role": "assistant", "tool_calls": [None, {"function": None}]},
        {"role": "tool", "content": None},
    ]
    assert answer([*odd, {"role": "user", "content": ["?"]}, asked("use the tool")], tools)


scalars = st.sampled_from([S, INT, N, B, {"type": "null"}, {"enum": ["red", 2]}, {"type": ["string", "null"]}])
names = st.sampled_from(["city", "to", "year", "query", "id", "on", "x", "path", "thing"])
schemas = st.recursive(
    scalars,
    lambda inner: st.one_of(
        inner.map(lambda items: {"type": "array", "items": items}),
        st.lists(inner, min_size=1, max_size=2).map(lambda choice: {"anyOf": choice}),
        st.dictionaries(names, inner, max_size=3).map(
            lambda found: {"type": "object", "properties": found, "required": list(found)}
        ),
    ),
    max_leaves=6,
)
texts = st.sampled_from(["", "Read a.md of EMP001 from Oslo to Rome on 2025-01-02, 3.5 on", "서울 3개"])


def assert_fits(value: Any, schema: Schema) -> None:
    assert fits(value, schema)
    assert schema.choices is None or value is None or value in schema.choices
    if isinstance(value, dict):
        assert schema.required <= value.keys()
        for key, item in value.items():
            assert_fits(item, schema.property(key))
    if isinstance(value, list):
        for item in value:
            assert_fits(item, schema.items)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(schema=schemas, text=texts)
def test_whatever_is_asked_for_is_given_in_its_type(schema: Any, text: str) -> None:
    assert_fits(filled(Schema(schema), text), Schema(schema))
