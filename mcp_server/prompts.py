"""Prompts over the tools, for a person to choose in an MCP client, and the values that their arguments may have."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from db import documents, employees
from db.database import Database
from db.schema import Json
from mcp_server.resources import SCHEME, address, embedded

Context = ServerRequestContext[Any, Any]
_MOST: Final = 100
"""Values in one completion, as the protocol has it."""


class Argument(NamedTuple):
    """What a person fills in; `values` are proposals for what they have begun to write."""

    name: str
    about: str
    values: Callable[[Database, str], Iterable[str]] | None = None
    required: bool = True


class Prompt(NamedTuple):
    """A prompt; `messages` are the contents of what is said to the model."""

    name: str
    title: str
    about: str
    arguments: tuple[Argument, ...]
    messages: Callable[..., list[Json]]


class Prompts:
    """The handlers of `prompts/*` and `completion/complete`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, _: Context, __: types.PaginatedRequestParams) -> Json:
        """All prompts."""
        return {"prompts": [_listed(prompt) for prompt in PROMPTS.values()]}

    async def get(self, _: Context, params: types.GetPromptRequestParams) -> Json:
        """A prompt, filled in."""
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise _refused(f"there is no prompt {params.name[:100]!r}; there are: {', '.join(PROMPTS)}")
        given = {name: value.strip() for name, value in (params.arguments or {}).items()}
        missing = [one.name for one in prompt.arguments if one.required and not given.get(one.name)]
        if missing:
            raise _refused(f"prompt {prompt.name} needs {' and '.join(missing)}")
        known = {one.name: given.get(one.name, "") for one in prompt.arguments}
        try:
            contents = await asyncio.to_thread(prompt.messages, self._database, **known)
        except LookupError as error:
            raise _refused(str(error.args[0])) from None
        return {
            "description": prompt.about,
            "messages": [{"role": "user", "content": content} for content in contents],
        }

    async def complete(self, _: Context, params: types.CompleteRequestParams) -> Json:
        """What an argument of a prompt, or the id of a document, may be."""
        values: Callable[[Database, str], Iterable[str]] | None = None
        match params.ref:
            case types.PromptReference(name=name) if name in PROMPTS:
                values = next((one.values for one in PROMPTS[name].arguments if one.name == params.argument.name), None)
            case types.ResourceTemplateReference(uri=uri) if uri.startswith(SCHEME):
                values = _document_ids
            case _:
                raise _refused("there is no such prompt or resource template to complete")
        found = list(await asyncio.to_thread(values, self._database, params.argument.value)) if values else []
        return {"completion": {"values": found[:_MOST], "total": len(found), "hasMore": len(found) > _MOST}}


def _listed(prompt: Prompt) -> Json:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.about,
        "arguments": [
            {"name": one.name, "description": one.about, "required": one.required} for one in prompt.arguments
        ],
    }


def _refused(message: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, message, data=message)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


# ---- what can be filled in


def _employee_ids(database: Database, begun: str) -> list[str]:
    """By number, or by any part of the name."""
    looked_for = begun.strip().casefold()
    return [
        one.id
        for one in employees.everyone(database)
        if one.id.casefold().startswith(looked_for) or looked_for in one.name.casefold()
    ]


def _document_ids(database: Database, begun: str) -> list[str]:
    """By id, or by any part of the text."""
    if begun.strip() and not begun.strip().isdecimal():
        return [str(hit.id) for hit in documents.search(database, begun, _MOST + 1).hits]
    listed = documents.page(database, 0, 10 * _MOST)
    return [str(one.id) for one in listed if str(one.id).startswith(begun.strip())]


# ---- the prompts


def _answer(_: Database, question: str) -> list[Json]:
    return [
        _text(
            f"Answer this question from the company's documents: {question}\n\n"
            "Call search_docs with one or two key words of it; if nothing fits, try other words. "
            "Answer in the language of the question, only with what the documents say, and name the title of each "
            "document that you used. If they do not say it, say so."
        )
    ]


def _vacation(_: Database, employee_id: str, year: str) -> list[Json]:
    when = f"in {year}" if year else "this year"
    return [
        _text(
            f"How much vacation has employee {employee_id} left {when}?\n\n"
            "Call get_employee_info for name and department, then calculate_vacation_days for the days. "
            "Answer in two sentences: who it is, and how many days there were in total, are used, and remain."
        )
    ]


def _summary(database: Database, document_id: str) -> list[Json]:
    document = embedded(database, address(document_id))
    return [
        {"type": "resource", "resource": document},
        _text(
            "Summarize this document in its own language: one sentence on what it is about, then its rules, numbers "
            "and dates as a short list. Add nothing that it does not say."
        ),
    ]


_EMPLOYEE: Final = Argument("employee_id", "Employee number, for example EMP001", _employee_ids)
PROMPTS: Final = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "answer_from_documents",
            "Answer from our documents",
            "Answer a question from the company's documents, with the titles of those that were used.",
            (Argument("question", "The question, in Korean or English"),),
            _answer,
        ),
        Prompt(
            "summarize_document",
            "Summarize a document",
            "Summarize one document of the company.",
            (Argument("document_id", "The id of the document", _document_ids),),
            _summary,
        ),
        Prompt(
            "vacation_report",
            "Vacation of an employee",
            "Report how many days of vacation an employee has left.",
            (_EMPLOYEE, Argument("year", "The calendar year; if left out, this year", required=False)),
            _vacation,
        ),
    )
}
