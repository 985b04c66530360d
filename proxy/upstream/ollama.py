"""Ollama: control calls by its own library, answers by `/api/chat`.

What a model can do is read once (`/api/show`), for each digest: a model that is pulled anew is asked again.
"""

import asyncio
import re
from dataclasses import dataclass, replace
from typing import Any, Final

import httpx
import ollama
from pydantic import ValidationError

from proxy.core import forced, prompt_tools
from proxy.core.ask import Ask
from proxy.core.reader import Begins
from proxy.core.wire import ollama as wire
from proxy.errors import UpstreamError
from proxy.settings import Settings, UpstreamSetting
from proxy.upstream.plan import Model, Plan

_FRESH: Final = 30.0
"""Seconds for which the list of models is believed without another look."""
_DEFAULT_CONTEXT: Final = 4096
"""What Ollama gives a model on a small machine if nobody says otherwise."""
_ROOM: Final = 2048
"""Tokens left for the answer when the client does not limit it."""
_OPENED_THINKING: Final = re.compile(r"<think>\s*(?:\{\{-?\s*end\s*-?\}\}\s*)*\Z")
"""A template that ends inside reasoning."""
_FAILURES: Final = (ollama.ResponseError, httpx.HTTPError, ConnectionError, ValidationError)


@dataclass(frozen=True, slots=True)
class Facts:
    """What `/api/show` says about a model."""

    capabilities: frozenset[str] | None = None
    """None: an old server, which does not say"""
    thinks_at_once: bool = False
    context: int = 0
    """the longest that the model was trained for; 0: not known"""
    harmony: bool = False
    """gpt-oss: Ollama parses what it writes as calls whether tools were sent or not, so they are always sent"""


class Ollama:
    """One Ollama."""

    is_ollama = True

    def __init__(self, setting: UpstreamSetting, settings: Settings) -> None:
        self.name = setting.name
        self.url = setting.url
        self._settings = settings
        key = {"Authorization": f"Bearer {setting.api_key}"} if setting.api_key else {}
        self.headers = key
        self._client = ollama.AsyncClient(host=setting.url, timeout=settings.connect_timeout, headers=key)
        self._digests: dict[str, str] = {}
        self._listed = 0.0
        self._refresh: asyncio.Task[list[Model]] | None = None
        self._facts: dict[str, Facts] = {}
        self._prompted: set[str] = set()
        """digests of models that have refused tools"""
        self._contexts: dict[str, int] = {}
        """the context that each model was last given: never made smaller, because a change loads it again"""

    def passage(self, path: str) -> str:
        """The address for a request that is passed on as it is."""
        return self.url + path

    async def close(self) -> None:
        """Close the connections of control calls."""
        if self._refresh:
            self._refresh.cancel()
        await self._client.close()  # type: ignore[no-untyped-call]  # the library has no types there

    async def models(self) -> list[Model]:
        """All models that it has now."""
        try:
            listed = (await self._client.list()).models
        except _FAILURES as error:
            raise self._down(error) from error
        self._digests = {one.model: one.digest or one.model for one in listed if one.model}
        self._listed = asyncio.get_running_loop().time()
        return [
            Model(one.model, int(one.modified_at.timestamp()) if one.modified_at else 0, one.digest or "")
            for one in listed
            if one.model
        ]

    def _down(self, error: Exception) -> UpstreamError:
        if isinstance(error, ollama.ResponseError):
            return UpstreamError(502, f"{self.url} answers {error.status_code}: {error.error}", "upstream_failed")
        what = f"no Ollama answers at {self.url}; start it (ollama serve), or name another server with --upstream"
        if self._settings.demo:
            what += ", or ask for the model demo/hermes, which needs none"
        return UpstreamError(502, what, "upstream_down")

    async def plan(self, ask: Ask, *, prompt: bool = False) -> Plan:
        """How to ask for this answer."""
        digest = await self._digest(ask.model)
        facts = await self._about(ask.model, digest)
        setting = self._settings.model(ask.model)
        native = facts.harmony or not (
            prompt
            or setting.tools == "prompt"
            or digest in self._prompted
            or (setting.tools == "auto" and facts.capabilities is not None and "tools" not in facts.capabilities)
        )
        said = forced.held(ask)
        if not native:
            said = prompt_tools.prompted(said)
        if facts.capabilities is not None and "thinking" not in facts.capabilities:
            said = replace(said, think=None)
        estimate = _tokens(said)
        num_ctx = setting.num_ctx or await self._context(ask, facts, estimate)
        begins = Begins.REASONING if facts.thinks_at_once else Begins.ANSWER
        body = wire.body(said, num_ctx=num_ctx)
        return Plan(self.url + wire.PATH, body, wire, native, begins, num_ctx or 0, estimate)

    def learn(self, ask: Ask, refusal: UpstreamError) -> bool:
        """Does a refusal mean that the tools have to go into the prompt?"""
        if refusal.status != 400 or "does not support tools" not in refusal.message:
            return False
        self._prompted.add(self._known(ask.model) or ask.model)
        return True

    # ---- facts

    def _known(self, model: str) -> str:
        return self._digests.get(model) or self._digests.get(f"{model}:latest", "")

    async def _digest(self, model: str) -> str:
        """The digest of a model, at once if it is known; a list that is old is read again in the background."""
        now = asyncio.get_running_loop().time()
        if not self._known(model):
            await self.models()
        elif now - self._listed > _FRESH and (self._refresh is None or self._refresh.done()):
            self._refresh = asyncio.create_task(self.models())
            self._refresh.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._known(model) or model

    async def _about(self, model: str, digest: str) -> Facts:
        if digest not in self._facts:
            try:
                shown = await self._client.show(model)
            except ollama.ResponseError as error:
                if error.status_code == 404:
                    raise not_there(model, self.url) from None
                return Facts()
            except _FAILURES:
                return Facts()  # not known now; asked again with the next request
            self._facts[digest] = _facts(shown)
        return self._facts[digest]

    # ---- the context

    async def _context(self, ask: Ask, facts: Facts, estimate: int) -> int | None:
        """Room for the prompt and the answer; None: what the model has is enough.

        Ollama cuts a prompt that is too long without a word, the tools first.
        """
        options = ask.rest.get("options")
        if isinstance(options, dict) and options.get("num_ctx"):
            return None  # the client says it itself
        wanted = estimate + estimate // 4 + (ask.sampling.max_tokens or _ROOM)
        given = self._contexts.get(ask.model, 0)
        if wanted <= max(given, _DEFAULT_CONTEXT):
            return given or None
        if not given and wanted <= await self._loaded(ask.model):
            return None
        size = max(_DEFAULT_CONTEXT, 1 << (wanted - 1).bit_length())
        self._contexts[ask.model] = min(size, facts.context or size)
        return self._contexts[ask.model]

    async def _loaded(self, model: str) -> int:
        """The context of a model that is loaded now; 0: it is not."""
        try:
            running = (await self._client.ps()).models
        except _FAILURES:
            return 0
        names = {model, f"{model}:latest"}
        return max((one.context_length or 0 for one in running if one.model in names), default=0)


def not_there(model: str, url: str) -> UpstreamError:
    """A model that an Ollama does not have."""
    return UpstreamError(404, f"model {model!r} is not on {url}; run: ollama pull {model}", "model_not_found", "model")


def _facts(shown: ollama.ShowResponse) -> Facts:
    capabilities = frozenset(shown.capabilities) if shown.capabilities else None
    about: Any = shown.modelinfo or {}
    context = next((value for key, value in about.items() if key.endswith(".context_length")), 0)
    # A model with the capability is split by Ollama itself; what it says as content is never inside reasoning.
    split = capabilities is not None and "thinking" in capabilities
    opened = bool(_OPENED_THINKING.search(shown.template or ""))
    family = (shown.details.family if shown.details else "") or ""
    harmony = "gptoss" in family.replace("-", "") or "<|channel|>" in (shown.template or "")
    return Facts(capabilities, opened and not split, context if isinstance(context, int) else 0, harmony)


def _tokens(ask: Ask) -> int:
    """How many tokens a prompt has, rather too few: four letters a token, but one and a half in Korean or Chinese."""
    texts = [message.text for message in ask.messages]
    texts += [f"{call.name}{call.arguments}" for message in ask.messages for call in message.calls]
    texts += [f"{tool.name}{tool.description}{tool.parameters}" for tool in ask.tools]
    letters = sum(map(len, texts))
    wide = sum(len(text.encode()) - len(text) for text in texts) // 2
    return (letters - wide) // 4 + wide * 2 // 3
