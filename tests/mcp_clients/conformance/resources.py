"""The suite's resources, beside our documents."""

import json
import re

import mcp_types as types

from db.schema import Json
from mcp_clients.conformance.blocks import RED
from mcp_server.resources import Context, Documents

STATIC = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": RED},
}


class SuiteResources(Documents):
    """The suite's resources; beside them, our documents."""

    async def list(self, context: Context, params: types.PaginatedRequestParams) -> Json:
        """The suite's first."""
        ours = await super().list(context, params)
        named = [{"uri": uri, "name": uri, "mimeType": one["mimeType"]} for uri, one in STATIC.items()]
        return {"resultType": "complete", **ours, "resources": [*named, *ours["resources"]]}

    async def templates(self, context: Context, params: types.PaginatedRequestParams) -> Json:
        """The suite's first."""
        ours = await super().templates(context, params)
        template = {"uriTemplate": "test://template/{id}/data", "name": "data", "mimeType": "application/json"}
        return {"resultType": "complete", "resourceTemplates": [template, *ours["resourceTemplates"]]}

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> Json:
        """The suite's, or ours, or an error of ours."""
        if params.uri in STATIC:
            found = {"contents": [{"uri": params.uri, **STATIC[params.uri]}]}
        elif template := re.fullmatch("test://template/(.+)/data", params.uri):
            data = {"id": template[1], "templateTest": True, "data": f"Data for ID: {template[1]}"}
            found = {"contents": [{"uri": params.uri, "mimeType": "application/json", "text": json.dumps(data)}]}
        else:
            found = await super().read(context, params)
        return {"resultType": "complete", **found}
