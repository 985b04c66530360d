"""What an Ollama says about its models: control calls, by its own library.

What a model can do (`/api/show`) is read once for each digest: a model that is pulled anew is asked again.
"""

import asyncio
import re
from dataclasses import dataclass
from typing import Any, Final

import httpx
import ollama
from pydantic import ValidationError

from proxy.errors import UpstreamError
from proxy.settings import Settings
from proxy.upstream.once import Once
from proxy.upstream.plan import Model
from proxy.upstream.refusals import no_ollama, not_there

_FRESH: Final = 30.0
"""Seconds for which the list of models is believed without another look."""
_OPENED_THINKING: Final = re.compile(r"<think>\s*(?:\{\{-?\s*end\s*-?\}\}\s*)*\Z")
"""A template that ends inside reasoning."""
_FAILURES: Final = (ollama.ResponseError, httpx.HTTPError, ConnectionError, ValidationError)


@dataclass(frozen=True, slots=True)
class Facts:
    """What `/api/show` says about a model."""

    capabilities: frozenset[str] | None = None
    """None: an old server, which does not say"""
    thinks_at_once: bool = False
    """is its answer already inside reasoning when it begins?"""
    context: int = 0
    """the longest that the model was trained for; 0: not known"""
    harmony: bool = False
    """gpt-oss: Ollama parses what it writes as calls whether tools were sent or not, so they are always sent"""

    def lacks(self, capability: str) -> bool:
        """Is it certain that the model cannot do this?"""
        return self.capabilities is not None and capability not in self.capabilities


class OllamaModels:
    """The models of one Ollama, as far as they are known."""

    def __init__(self, url: str, settings: Settings, headers: dict[str, str]) -> None:
        self._url = url
        self._settings = settings
        # The system's proxy is not asked: it is not for answers, either.
        timeout = settings.connect_timeout
        self._client = ollama.AsyncClient(host=url, timeout=timeout, headers=headers, trust_env=False)
        self._once = Once()
        self._digests: dict[str, str] = {}
        self._listed = 0.0
        self._facts: dict[str, Facts] = {}

    async def close(self) -> None:
        """Close the connections."""
        self._once.close()
        await self._client.close()  # type: ignore[no-untyped-call]  # the library has no types there

    async def all(self) -> list[Model]:
        """All models that it has now."""
        return await self._once.ask("list", self._list)

    async def _list(self) -> list[Model]:
        try:
            listed = (await self._client.list()).models
        except _FAILURES as error:
            raise self._down(error) from error
        self._digests = {one.model: one.digest or one.model for one in listed if one.model}
        self._listed = asyncio.get_running_loop().time()
        return [
            Model(one.model, int(one.modified_at.timestamp()) if one.modified_at else 0) for one in listed if one.model
        ]

    def _down(self, error: Exception) -> UpstreamError:
        if isinstance(error, ollama.ResponseError) and error.status_code in {404, 405}:
            return no_ollama(self._url)
        if isinstance(error, ollama.ResponseError):
            return UpstreamError(502, f"{self._url} answers {error.status_code}: {error.error}", "upstream_failed")
        what = f"no Ollama answers at {self._url}; start it (ollama serve), or name another server with --upstream"
        if self._settings.demo:
            what += ", or ask for the model demo/hermes, which needs none"
        return UpstreamError(502, what, "upstream_down")

    async def digest(self, model: str) -> str:
        """The digest of a model, at once if it is known; a list that is old is read again in the background."""
        if not self.known(model):
            await self.all()
        elif asyncio.get_running_loop().time() - self._listed > _FRESH:
            self._once.remind("list", self._list)
        return self.known(model) or model

    def known(self, model: str) -> str:
        """The digest of a model that was listed; else ""."""
        return self._digests.get(model) or self._digests.get(f"{model}:latest", "")

    async def facts(self, model: str, digest: str) -> Facts:
        """What the model can do."""
        if digest in self._facts:
            return self._facts[digest]
        return await self._once.ask(f"show {digest}", lambda: self._show(model, digest))

    async def _show(self, model: str, digest: str) -> Facts:
        try:
            shown = await self._client.show(model)
        except ollama.ResponseError as error:
            if error.status_code == 404:
                raise not_there(model, self._url) from None
            return Facts()
        except _FAILURES:
            return Facts()  # not known now; asked again with the next request
        self._facts[digest] = _facts(shown)
        return self._facts[digest]

    async def loaded_context(self, model: str) -> int:
        """The context of a model that is loaded now; 0: it is not."""
        try:
            running = (await self._once.ask("running", self._client.ps)).models
        except _FAILURES:
            return 0
        names = {model, f"{model}:latest"}
        return max((one.context_length or 0 for one in running if one.model in names), default=0)


def _facts(shown: ollama.ShowResponse) -> Facts:
    capabilities = frozenset(shown.capabilities) if shown.capabilities else None
    about: Any = shown.modelinfo or {}
    context = next((value for key, value in about.items() if key.endswith(".context_length")), 0)
    template = shown.template or ""
    # A model with the capability is split by Ollama itself; what it says as content is never inside reasoning.
    split = capabilities is not None and "thinking" in capabilities
    family = (shown.details.family if shown.details else "") or ""
    return Facts(
        capabilities,
        thinks_at_once=bool(_OPENED_THINKING.search(template)) and not split,
        context=context if isinstance(context, int) else 0,
        harmony="gptoss" in family.replace("-", "") or "<|channel|>" in template,
    )
