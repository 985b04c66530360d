"""Reading a JSON body field by field; what is wrong with one is said with its name."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from proxy.core.arguments import value_of
from proxy.core.ask import BadRequest, Function, Message, PastCall
from proxy.core.cursor import Malformed
from proxy.core.schema import Json, type_name


def body_of(data: bytes) -> dict[str, Any]:
    """The JSON object of a request."""
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is not JSON: {error.msg}, line {error.lineno} column {error.colno}") from None
    if not isinstance(body, dict):
        raise BadRequest(f"the body must be a JSON object, found {_an(body)}")
    return body


def text(body: Mapping[str, Any], name: str) -> str:
    """A string that must be there."""
    found = body.get(name)
    if not isinstance(found, str) or not found:
        what = "nothing" if found is None else _an(found)
        raise BadRequest(f"{name} must be a string that is not empty, found {what}", name)
    return found


def number(body: Mapping[str, Any], name: str, where: str = "") -> Any:
    """A number, or None."""
    found = body.get(name)
    if found is None or (isinstance(found, int | float) and not isinstance(found, bool)):
        return found
    raise BadRequest(f"{where}{name} must be a number, found {_an(found)}", where + name)


def whole(body: Mapping[str, Any], name: str, where: str = "") -> int | None:
    """An integer, or None."""
    found = number(body, name, where)
    return None if found is None else int(found)


def flag(body: Mapping[str, Any], name: str, *, default: bool) -> bool:
    """True or false."""
    found = body.get(name)
    if found is None or isinstance(found, bool):
        return default if found is None else found
    raise BadRequest(f"{name} must be true or false, found {_an(found)}", name)


def words(body: Mapping[str, Any], name: str, where: str = "") -> tuple[str, ...]:
    """A string, or a list of strings."""
    found = body.get(name)
    listed = [found] if isinstance(found, str) else found or []
    if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
        return tuple(listed)
    raise BadRequest(f"{where}{name} must be a string or a list of strings, found {_an(found)}", where + name)


def listed(body: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects; absent or null: none."""
    found = body.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BadRequest(f"{name} must be a list, found {_an(found)}", name)
    for at, one in enumerate(found):
        if not isinstance(one, dict):
            raise BadRequest(f"{name}[{at}] must be an object, found {_an(one)}", f"{name}[{at}]")
    return found


def functions(body: Mapping[str, Any]) -> tuple[Function, ...]:
    """The tools on offer; without the kinds that only OpenAI's own servers run."""
    found = {}
    for at, tool in enumerate(listed(body, "tools")):
        if (tool.get("type") or "function") != "function":
            continue
        function = tool.get("function", tool)
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str) or not name:
            raise BadRequest(f"tools[{at}].function.name must be a string that is not empty", f"tools[{at}]")
        try:
            found[name] = _function(orjson.dumps(function))
        except orjson.JSONEncodeError:
            raise BadRequest(f"tools[{at}] is nested too deep; make its schema flatter", f"tools[{at}]") from None
    return tuple(found.values())


@lru_cache(maxsize=4096)
def _function(written: bytes) -> Function:
    """Kept, because a client sends the same tools with every request."""
    said = orjson.loads(written)
    parameters = said.get("parameters")
    return Function(
        said["name"], str(said.get("description") or ""), parameters if isinstance(parameters, dict) else {}
    )


def past_arguments(written: Json) -> dict[str, Json]:
    """The arguments of a call in the history. A broken one must not block every later turn: it is read leniently."""
    found = written
    for _ in range(2):  # a string may hold the string that holds the object
        if isinstance(found, str):
            try:
                found = value_of(found) if found.strip() else None
            except Malformed:
                break
    if isinstance(found, dict):
        return found
    return {"input": found} if found else {}


def named(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Give every result its tool and the id of its call: by that id, else by the order of the last calls."""
    found, open_calls = list[Message](), list[PastCall]()
    for message in messages:
        open_calls = [*message.calls, *open_calls]
        if message.role != "tool":
            found.append(message)
            continue
        call = next((one for one in open_calls if one.id == message.answers), None)
        if call is None and open_calls and not message.tool:
            call = open_calls[0]
        if call is None:
            found.append(replace(message, tool=message.tool or "tool"))
            continue
        open_calls.remove(call)
        found.append(replace(message, tool=message.tool or call.name, answers=call.id))
    return tuple(found)


def _an(value: Json) -> str:
    name = type_name(value)
    return f"an {name}" if name[0] in "aio" else name if value is None else f"a {name}"
