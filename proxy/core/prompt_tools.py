"""Tools for a model whose server has no place for them: said in the prompt, and so are calls and results.

    # Tools
    <tools>
    {"name":"find_ferry","description":"...","parameters":{"to":"string, required","seats":"integer, optional"}}
    </tools>
    To use a tool, reply with one block per call and then stop:
    <tool_call>
    {"name": "find_ferry", "arguments": {"to": "Coll"}}
    </tool_call>

The form is Hermes', the one that most open models have seen in training; the answer is read in any dialect all the
same. Signatures are compact because contexts are small (half of the characters of JSON Schema); the example is a call
to a real tool because small models copy what they are shown.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from proxy.core.ask import Ask, Function, Message
from proxy.core.projection import projected
from proxy.core.scalars import dumped
from proxy.core.schema import Json

_CAREFUL: Final = 0.3
"""The temperature if the client names none: calls are no place for invention."""
_INVENTED: Final = "\n<tool_response"
"""Models go on with the result that they expect: there they are stopped. One that begins its answer so
repeats the last result; stopped there, it would have said nothing at all."""
_PLAUSIBLE: Final = {
    "city": "Seoul",
    "location": "Seoul",
    "path": "notes.txt",
    "file": "notes.txt",
    "url": "https://example.com",
    "date": "2025-01-31",
    "query": "opening hours",
    "command": "ls",
    "name": "Kim",
}


def prompted(ask: Ask) -> Ask:
    """The same request with its tools, calls and results in the text of the messages."""
    if not ask.about_tools:
        return ask
    messages = list(_spoken(ask.messages))
    if ask.tools:
        first = messages.pop(0).text if messages and messages[0].role == "system" else ""
        prompt = _prompt(ask.tools, parallel=ask.parallel)
        messages.insert(0, Message("system", f"{first}\n\n{prompt}".strip()))
    sampling = ask.sampling
    if ask.tools:
        sampling = replace(
            sampling,
            temperature=_CAREFUL if sampling.temperature is None else sampling.temperature,
            stop=(*sampling.stop, _INVENTED),
        )
    return replace(ask, messages=tuple(messages), tools=(), sampling=sampling)


# ---- the conversation


def _spoken(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages as system, user and assistant speak them; one after another of the same role are one."""
    for role, group in groupby(map(_said, messages), key=lambda message: message.role):
        together = list(group)
        text = "\n\n".join(message.text for message in together if message.text)
        yield Message(role, text, tuple(part for message in together for part in message.parts))


def _said(message: Message) -> Message:
    if message.role == "tool":
        result = message.text or "(no output)"
        text = f'<tool_response name="{message.tool}">\n{result}\n</tool_response>'
        return Message("user", text, message.parts)
    if not message.calls:
        return message
    blocks = [_block(call.name, call.arguments) for call in message.calls]
    return replace(message, text="\n".join([*([message.text] if message.text else []), *blocks]), calls=())


def _block(name: str, arguments: Json) -> str:
    return f'<tool_call>\n{{"name": {dumped(name)}, "arguments": {dumped(arguments)}}}\n</tool_call>'


# ---- the tools


def _prompt(tools: Sequence[Function], *, parallel: bool) -> str:
    listed = "\n".join(map(_signature, tools))
    blocks = "one block per call" if parallel else "one block, and only one,"
    return f"""\
# Tools
You can use these tools. Each line is one tool.
<tools>
{listed}
</tools>

To use a tool, reply with {blocks} and then stop:
{_block(tools[0].name, _example(projected(tools[0])))}

Rules:
- Use a tool only if you need it. Otherwise answer normally, without a block.
- "name" must be one of: {", ".join(tool.name for tool in tools)}.
- Put all required arguments in "arguments" as JSON values. Do not invent arguments.
- After a block write nothing. You will get the result in <tool_response>."""


def _signature(tool: Function) -> str:
    schema = projected(tool)
    required = schema.get("required", [])
    parameters = {
        name: f"{_kind(one)}, {'required' if name in required else 'optional'}{_about(one)}"
        for name, one in schema["properties"].items()
    }
    return dumped({"name": tool.name, "description": tool.description, "parameters": parameters})


def _kind(schema: dict[str, Json]) -> str:
    """A type in few words; one level of nesting, below that as JSON Schema."""
    if "enum" in schema:
        return " | ".join(map(dumped, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(map(_kind, schema["anyOf"]))
    kinds = schema.get("type", "any")
    if kinds == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if kinds == "object" and schema.get("properties"):
        return dumped(schema["properties"])
    return " | ".join(kinds) if isinstance(kinds, list) else str(kinds)


def _about(schema: dict[str, Json]) -> str:
    return f": {schema['description']}" if schema.get("description") else ""


def _example(schema: dict[str, Json], name: str = "") -> Json:
    """A value that fits the schema and looks like one."""
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("anyOf"):
        return _example(schema["anyOf"][0], name)
    kinds = schema.get("type", "string")
    match kinds[0] if isinstance(kinds, list) and kinds else kinds:
        case "object":
            wanted = schema.get("required") or list(schema.get("properties", {}))[:1]
            return {key: _example(one, key) for key, one in schema.get("properties", {}).items() if key in wanted}
        case "array":
            return [_example(schema.get("items", {}), name)]
        case "integer" | "number":
            return 2
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return next((value for word, value in _PLAUSIBLE.items() if word in name.lower()), "example")
