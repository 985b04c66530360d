"""Ollama: tools natively or by prompt, and a context that holds the prompt."""

from dataclasses import replace
from typing import Final

from proxy.core import forced, prompt_tools
from proxy.core.ask import Ask
from proxy.core.reader import Begins
from proxy.core.wire import ollama as wire
from proxy.errors import Refusal
from proxy.settings import Settings, UpstreamSetting
from proxy.upstream.ollama_models import Facts, OllamaModels
from proxy.upstream.plan import Model, Plan

_DEFAULT_CONTEXT: Final = 4096
"""What Ollama gives a model on a small machine if nobody says otherwise."""
_ROOM: Final = 2048
"""Tokens left for the answer when the client does not limit it."""
_MOST_ROOM: Final = 8192
"""Tokens left for the answer when the client names a limit that it hardly means: memory for them is taken at once."""
_IMAGE: Final = 768
"""Tokens of an image, as Ollama itself counts when it cuts a prompt."""


class Ollama:
    """One Ollama."""

    is_ollama = True

    def __init__(self, setting: UpstreamSetting, settings: Settings) -> None:
        self.name = setting.name
        self.url = setting.url
        self.headers = setting.headers
        self._settings = settings
        self._models = OllamaModels(setting.url, settings, self.headers)
        self._prompted: set[str] = set()
        """digests of models that have refused tools"""
        self._contexts: dict[str, int] = {}
        """the context that each digest was last given: never made smaller, because a change loads the model again"""

    def passage(self, path: str) -> str:
        """The address for a request that is passed on as it is."""
        return self.url + path

    async def close(self) -> None:
        """Close the connections of control calls."""
        await self._models.close()

    async def models(self) -> list[Model]:
        """All models that it has now."""
        return await self._models.all()

    async def plan(self, ask: Ask, *, prompt: bool = False) -> Plan:
        """How to ask for this answer."""
        digest = await self._models.digest(ask.model)
        facts = await self._models.facts(ask.model, digest)
        setting = self._settings.model(ask.model)
        lacking = setting.tools == "prompt" or (setting.tools == "auto" and facts.lacks("tools"))
        native = digest not in self._prompted and (facts.harmony or not (prompt or lacking))
        said = forced.held(ask)
        if not native:
            said = prompt_tools.prompted(said)
        if said.think is not None and facts.lacks("thinking"):
            said = replace(said, think=None)
        estimate = _tokens(said)
        num_ctx = setting.num_ctx or await self._context(ask, digest, facts, estimate)
        begins = Begins.REASONING if facts.thinks_at_once else Begins.ANSWER
        body = wire.body(said, num_ctx=num_ctx)
        return Plan(self.url + wire.PATH, body, wire, native, begins, num_ctx or 0, estimate)

    def learn(self, ask: Ask, refusal: Refusal) -> bool:
        """Does a refusal mean that the tools have to go into the prompt?"""
        if refusal.status != 400 or "does not support tools" not in refusal.message:
            return False
        self._prompted.add(self._models.known(ask.model) or ask.model)
        return True

    async def _context(self, ask: Ask, digest: str, facts: Facts, estimate: int) -> int | None:
        """Room for the prompt and the answer; None: what the model has is enough.

        Ollama cuts a prompt that is too long without a word, the tools first.
        """
        options = ask.rest.get("options")
        if isinstance(options, dict) and options.get("num_ctx"):
            return None  # the client says it itself
        wanted = estimate + estimate // 4 + min(ask.sampling.max_tokens or _ROOM, _MOST_ROOM)
        given = self._contexts.get(digest, 0)
        if wanted <= max(given, _DEFAULT_CONTEXT):
            return given or None
        # Said even if it is loaded so already: somebody else may have asked for that, and without it the model would
        # be loaded again, with less.
        size = await self._models.loaded_context(ask.model)
        if size < wanted:
            size = 1 << (wanted - 1).bit_length()
            size = min(size, facts.context or size)
        self._contexts[digest] = size
        return size


def _tokens(ask: Ask) -> int:
    """How many tokens a prompt has, rather too few: four letters a token, but one and a half in Korean or Chinese."""
    texts = [message.text for message in ask.messages]
    texts += [f"{call.name}{call.arguments}" for message in ask.messages for call in message.calls]
    texts += [tool.text for tool in ask.tools]
    images = sum(len(message.parts) for message in ask.messages)
    letters = sum(map(len, texts))
    wide = sum(len(text.encode()) - len(text) for text in texts) // 2
    return (letters - wide) // 4 + wide * 2 // 3 + images * _IMAGE
