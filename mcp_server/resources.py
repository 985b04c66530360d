"""Documents as MCP resources: `docs://{id}`, listed in pages."""

import asyncio
from typing import Any, Final
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from db import documents
from db.database import Database
from db.result import MAX_OUTPUT
from db.schema import Json

Context = ServerRequestContext[Any, Any]
SCHEME: Final = "docs://"
TYPE: Final = "text/markdown"
PAGE: Final = 100
_NOT_FOUND: Final = -32002
"""What clients before 2026-07-28 expect; since then it is a wrong parameter."""


class Documents:
    """The handlers of `resources/*`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, _: Context, params: types.PaginatedRequestParams) -> Json:
        """A page of the documents; the cursor is the place where the last one ended."""
        cursor = params.cursor or "0"
        if not cursor.isdecimal() or len(cursor) > 18:
            raise MCPError(types.INVALID_PARAMS, "there is no such page; ask without a cursor", data=cursor[:100])
        page = await asyncio.to_thread(documents.page, self._database, int(cursor), PAGE)
        listed: Json = {"resources": [_listed(one) for one in page]}
        if len(page) == PAGE:
            listed["nextCursor"] = str(page[-1].row)
        return listed

    async def templates(self, _: Context, __: types.PaginatedRequestParams) -> Json:
        """How the address of a document is made."""
        about = "A document of the company, by its id (search_docs gives ids)."
        template = {"uriTemplate": f"{SCHEME}{{id}}", "name": "document", "description": about, "mimeType": TYPE}
        return {"resourceTemplates": [template]}

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> Json:
        """The text of a document."""
        try:
            content = await asyncio.to_thread(embedded, self._database, params.uri)
        except LookupError as error:
            modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
            code = types.INVALID_PARAMS if modern else _NOT_FOUND
            raise MCPError(code, str(error.args[0]), data={"uri": params.uri}) from None
        return {"contents": [content]}


def address(document_id: int | str) -> str:
    """The address of a document."""
    return SCHEME + quote(str(document_id), safe="")


def embedded(database: Database, uri: str) -> Json:
    """The document at an address, as MCP writes one down; `LookupError` says why there is none."""
    if not uri.startswith(SCHEME):
        raise LookupError(f"there is nothing at {uri[:200]!r}; addresses are like {SCHEME}1")
    document_id = unquote(uri.removeprefix(SCHEME))
    document = documents.with_id(database, document_id)
    if document is None:
        raise LookupError(f"there is no document {document_id[:100]!r}; see resources/list")
    if len(document.content) > MAX_OUTPUT:
        raise LookupError(
            f"document {document_id} has {len(document.content)} characters, more than {MAX_OUTPUT}; "
            "use search_docs to find a passage of it"
        )
    return {"uri": uri, "mimeType": TYPE, "text": document.content}


def _listed(document: documents.Listed) -> Json:
    listed = {"uri": address(document.id), "name": document.title, "title": document.title, "mimeType": TYPE}
    return listed | ({"description": document.category} if document.category else {})
