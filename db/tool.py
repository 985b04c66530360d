"""A tool: one typed function, and all that a caller needs to know of it, read from its signature.

    def add_days(day: Annotated[str, "A day, YYYY-MM-DD."], days: int = 1) -> str:
        '''The day so many days later.'''

    Tool.of(add_days)

A parameter of the type `Database` or `Progress` is not the caller's to give: the registry gives it.
"""

import json
from collections.abc import Callable
from types import CoroutineType
from typing import Any, Final, NamedTuple, get_type_hints

from db.characters import whole
from db.database import Database
from db.progress import Progress
from db.result import ToolResult
from db.schema import Json, in_words, schema_of

TIMEOUT: Final = 10.0
"""Seconds that a tool may take, unless it says otherwise."""
MAX_TIMEOUT: Final = 86_400.0
"""A day: what waits for longer is no call."""
MAX_NAME: Final = 64
"""Characters of a name: OpenAI's clients take no longer ones, and no others than letters, digits, _ and -."""
_GIVEN = (Database, Progress)
_REQUIRED = object()
_TAKES_ANY = 0x04 | 0x08
"""The flags of code that has `*args` or `**kwargs`."""


class Hints(NamedTuple):
    """What a call does to the world. For the person who is asked to allow it; they grant nothing."""

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True


LOOKS_UP = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
"""The hints of a tool that only reads our own data."""


class Tool(NamedTuple):
    """A tool that can be called. `returns` is the schema of what the function returns, if it returns plain data."""

    name: str
    description: str
    input_schema: Json
    returns: Json | None
    hints: Hints
    timeout: float
    function: Callable[..., Any]
    given: tuple[tuple[str, type], ...] = ()
    """the parameters that the registry gives, each with its type"""
    lenient: Json | None = None
    """the schema that arguments must fit, if the function takes more than callers are told"""

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        hints: Hints = Hints(),  # noqa: B008 - it is frozen
        timeout: float = TIMEOUT,
        told: type | None = None,
    ) -> "Tool":
        """The tool that a function is.

        `told` is a `TypedDict` of the arguments, for a function that takes more than it asks for, and judges by itself
        what is missing or wrong: callers are told this, and get the function's own word if they do otherwise.
        """
        name = _name(function)
        types = get_type_hints(function, include_extras=True)
        parameters = _parameters(function)
        given = {one: types[one] for one in parameters if types.get(one) in _GIVEN}
        returned = types.get("return", Any)
        takes = _input_schema(name, types, {one: default for one, default in parameters.items() if one not in given})
        return cls(
            name=name,
            description=_description(function),
            input_schema=schema_of(told) | {"additionalProperties": False} if told else takes,
            returns=None if returned is ToolResult else schema_of(returned),
            hints=hints,
            timeout=_seconds(name, timeout),
            function=function,
            given=tuple(given.items()),
            lenient=takes if told else None,
        )

    @property
    def output_schema(self) -> Json:
        """The schema of a result's structured content, whatever becomes of the call."""
        if self.returns is None:
            return {"type": "object"}
        return {
            "type": "object",
            "properties": {"success": {"type": "boolean"}, "result": self.returns, "error": {"type": "string"}},
            "required": ["success"],
        }

    def as_openai(self) -> Json:
        """As an entry of an OpenAI request's `tools`."""
        function = {"name": self.name, "description": self.description, "parameters": self.input_schema}
        return {"type": "function", "function": function}

    def run(self, arguments: Json, database: Database, progress: Progress) -> Any:
        """What the function returns for arguments that fit."""
        gifts = {Database: database, Progress: progress}
        answer = self.function(**arguments, **{name: gifts[kind] for name, kind in self.given})
        if isinstance(answer, CoroutineType):
            from db.coroutine import finished  # noqa: PLC0415 - asyncio is slow to import

            return finished(answer, progress)
        return answer


def _name(function: Callable[..., Any]) -> str:
    name = function.__name__
    if not (name.isascii() and name.isidentifier() and len(name) <= MAX_NAME):
        raise TypeError(f"tool {name}: a name has at most {MAX_NAME} letters a-z, digits and _; give it another")
    return name


def _description(function: Callable[..., Any]) -> str:
    """The docstring, without the indentation of the code around it."""
    lines = (function.__doc__ or "").strip().split("\n")
    if not lines[0]:
        raise TypeError(f"tool {function.__name__} has no docstring; say there what it does and returns")
    return whole("\n".join(line.strip() for line in lines))


def _seconds(tool: str, timeout: float) -> float:
    if not isinstance(timeout, int | float) or not 0 < timeout <= MAX_TIMEOUT:
        raise ValueError(f"tool {tool}: timeout should be seconds, at most {MAX_TIMEOUT:g}, found {timeout!r}")
    return timeout


def _parameters(function: Callable[..., Any]) -> Json:
    """The names of the parameters, each with its default or `_REQUIRED`."""
    code = function.__code__
    if code.co_posonlyargcount or code.co_flags & _TAKES_ANY:
        raise TypeError(f"tool {function.__name__}: every parameter must have a name to be passed by")
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    with_default = names[: code.co_argcount][::-1]
    defaults = dict(zip(with_default, (function.__defaults__ or ())[::-1], strict=False))
    defaults |= function.__kwdefaults__ or {}
    return {name: defaults.get(name, _REQUIRED) for name in names}


def _input_schema(tool: str, types: Json, parameters: Json) -> Json:
    properties = {}
    for name, default in parameters.items():
        if name not in types:
            raise TypeError(f"tool {tool}: parameter {name} has no type; write for example {name}: str")
        schema = schema_of(types[name])
        schema.setdefault("description", f"Type: {in_words(schema)}.")
        if default is not _REQUIRED and default is not None:
            schema["default"] = default
            schema["description"] += f" If left out: {default!r}."
        properties[name] = _plain(schema, tool, name)
    required = [name for name, default in parameters.items() if default is _REQUIRED]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _plain(schema: Json, tool: str, parameter: str) -> Json:
    """One schema that cannot be written would take the whole list of tools away from a client."""
    try:
        json.dumps(schema, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise TypeError(f"tool {tool}: the default or example of {parameter} is no plain data ({error})") from None
    return schema
