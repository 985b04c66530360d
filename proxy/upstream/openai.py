"""Any OpenAI-compatible server: llama.cpp, vLLM, LM Studio and the like, by `/v1/chat/completions`."""

import re
from typing import Any, Final

from proxy.core import forced, prompt_tools
from proxy.core.ask import Ask
from proxy.core.rescue import is_unreadable
from proxy.core.wire import openai as wire
from proxy.errors import Refusal, UpstreamError
from proxy.settings import Settings, UpstreamSetting
from proxy.upstream.http import Http
from proxy.upstream.plan import Model, Plan

_NO_TOOLS: Final = re.compile(
    r"\b(?:tools?|functions?)\b.*(?:requires?|support|enable|allow|permitted|unknown|unexpected|unrecogni[sz]ed|extra)"
    r"|(?:support|requires?|unknown|unexpected|unrecogni[sz]ed|extra).*\b(?:tools?|functions?|tool_choice)\b",
    re.IGNORECASE | re.DOTALL,
)
"""In a refusal: vLLM without --enable-auto-tool-choice, templates that raise on tools, servers that know none."""


class OpenAI:
    """One OpenAI-compatible server; its address ends in `/v1`."""

    is_ollama = False

    def __init__(self, setting: UpstreamSetting, settings: Settings, http: Http) -> None:
        self.name = setting.name
        self.url = setting.url
        self._settings = settings
        self._http = http
        self.headers = setting.headers
        self._prompted: set[str] = set()
        self._template_has_tools: bool | None = None

    def passage(self, path: str) -> str:
        """The address for a request that is passed on as it is."""
        return self.url.removesuffix("/v1") + path

    async def close(self) -> None:
        """Nothing of its own to close."""

    async def models(self) -> list[Model]:
        """All models that it has now."""
        said = await self._http.get_json(f"{self.url}/models", self.headers)
        listed = said.get("data") if isinstance(said, dict) else None
        return [
            Model(one["id"], one["created"] if isinstance(one.get("created"), int) else 0)
            for one in listed or ()
            if isinstance(one, dict) and isinstance(one.get("id"), str)
        ]

    async def plan(self, ask: Ask, *, prompt: bool = False) -> Plan:
        """How to ask for this answer."""
        wanted = self._settings.model(ask.model).tools
        native = not (prompt or wanted == "prompt" or ask.model in self._prompted)
        if ask.about_tools and native and wanted == "auto":
            native = await self._can_use_tools()
        # A schema binds where tool_choice does not: llama.cpp lets a model talk on in spite of `required`.
        said = forced.held(ask)
        if not native:
            said = prompt_tools.prompted(said)
        return Plan(self.url + wire.PATH, wire.body(said), wire, native)

    def learn(self, ask: Ask, refusal: Refusal) -> bool:
        """Does a refusal mean that the tools have to go into the prompt?"""
        about_tools = refusal.status in {400, 422, 502} and _NO_TOOLS.search(refusal.message)
        if not about_tools or is_unreadable(refusal.message):
            return False
        self._prompted.add(ask.model)
        return True

    async def _can_use_tools(self) -> bool:
        """Does the template have a place for tools? llama.cpp drops them without a word if not, but can be asked."""
        if self._template_has_tools is None:
            try:
                said: Any = await self._http.get_json(f"{self.url.removesuffix('/v1')}/props", self.headers)
                self._template_has_tools = said["chat_template_caps"]["supports_tools"] is not False
            except (UpstreamError, KeyError, TypeError) as error:
                if isinstance(error, UpstreamError) and error.code == "upstream_down":
                    raise
                self._template_has_tools = True  # another kind of server
        return self._template_has_tools
