"""A tool: one typed function, and all that a caller needs to know of it, read from its signature.

    def add_days(day: Annotated[str, "A day, YYYY-MM-DD."], days: int = 1) -> str:
        '''The day so many days later.'''

    Tool.of(add_days)

A parameter of the type `Database` is not the caller's to give: the registry gives it.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from db.database import Database
from db.schema import Json, in_words, schema_of


@dataclass(frozen=True, slots=True)
class Hints:
    """What a call does to the world. For the person who is asked to allow it; they grant nothing."""

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True


LOOKS_UP = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
"""The hints of a tool that only reads our own data."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can be called. `returns` is the schema of what the function returns."""

    name: str
    description: str
    input_schema: Json
    returns: Json
    hints: Hints
    timeout: float
    function: Callable[..., Any]
    database_parameter: str | None

    @classmethod
    def of(cls, function: Callable[..., Any], hints: Hints = Hints(), timeout: float = 10.0) -> "Tool":  # noqa: B008 - it is frozen
        """The tool that a function is."""
        name = function.__name__
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"tool {name} has no docstring; say there what it does and returns")
        types = get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters
        given = [one for one in parameters if types.get(one) is Database]
        return cls(
            name=name,
            description=description,
            input_schema=_input_schema(name, types, [parameters[one] for one in parameters if one not in given]),
            returns=schema_of(types.get("return", Any)),
            hints=hints,
            timeout=timeout,
            function=function,
            database_parameter=given[0] if given else None,
        )

    @property
    def output_schema(self) -> Json:
        """The schema of a result's `as_json`."""
        return {
            "type": "object",
            "properties": {"success": {"type": "boolean"}, "result": self.returns, "error": {"type": "string"}},
            "required": ["success"],
        }

    def as_openai(self) -> Json:
        """As an entry of an OpenAI request's `tools`."""
        function = {"name": self.name, "description": self.description, "parameters": self.input_schema}
        return {"type": "function", "function": function}

    def run(self, arguments: Json, database: Database) -> Any:
        """What the function returns for arguments that fit."""
        given = {self.database_parameter: database} if self.database_parameter else {}
        return self.function(**arguments, **given)


def _input_schema(tool: str, types: Json, parameters: list[inspect.Parameter]) -> Json:
    properties = {}
    for parameter in parameters:
        if parameter.name not in types or parameter.kind not in {
            parameter.POSITIONAL_OR_KEYWORD,
            parameter.KEYWORD_ONLY,
        }:
            raise TypeError(f"tool {tool}: parameter {parameter} needs a type and must be passable by name")
        schema = schema_of(types[parameter.name])
        if parameter.default not in {parameter.empty, None}:
            schema["default"] = parameter.default
        schema.setdefault("description", f"Type: {in_words(schema)}.")
        properties[parameter.name] = schema
    required = [one.name for one in parameters if one.default is one.empty]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
