"""All model servers, and which of them has a model."""

import asyncio
from collections.abc import Sequence
from typing import Final

from proxy.errors import Problem, UpstreamError
from proxy.upstream.plan import Model, Upstream

DEMO: Final = "demo"
OK: Final = "ok"


class Pool:
    """The servers in the order in which they are asked."""

    def __init__(self, upstreams: Sequence[Upstream], demo: Upstream | None = None) -> None:
        self.upstreams = tuple(upstreams)
        self.demo = demo
        self.states: dict[str, str] = {}
        """of each server, when they were last asked: "ok", or why it did not answer"""
        self._homes: dict[str, Upstream] = {}
        """which server has a model, as far as that was seen"""

    @property
    def all(self) -> tuple[Upstream, ...]:
        """The demo models' server, too."""
        return (*self.upstreams, self.demo) if self.demo else self.upstreams

    async def choose(self, model: str) -> tuple[Upstream, str]:
        """The server for a model, and the name that the model has there."""
        name, slash, rest = model.partition("/")
        if self.demo and slash and name == DEMO:
            return self.demo, model
        for upstream in self.upstreams:
            if slash and upstream.name == name:
                return upstream, rest
        if len(self.upstreams) == 1:
            return self.upstreams[0], model
        if not self._home(model):
            await self.models()
        home = self._home(model)
        silent = [state for state in self.states.values() if state != OK]
        if home is None and silent:
            what = f"model {model!r} is on no server that answers: {'; '.join(silent)}"
            raise UpstreamError(502, what, "upstream_down", "model")
        if home is None:
            where = ", ".join(upstream.url for upstream in self.upstreams) or "any server"
            raise Problem(
                404, f"model {model!r} is not on {where}; GET /v1/models lists what is", "model_not_found", "model"
            )
        return home, model

    def _home(self, model: str) -> Upstream | None:
        return self._homes.get(model) or self._homes.get(f"{model}:latest")

    async def models(self) -> list[tuple[Upstream, Model]]:
        """Every model of every server that answers; a model that two servers have is the first one's."""
        listed = await asyncio.gather(*map(self._listed, self.all))
        found: dict[str, tuple[Upstream, Model]] = {}
        for upstream, models in zip(self.all, listed, strict=True):
            for model in models:
                found.setdefault(model.name, (upstream, model))
        self._homes = {name: upstream for name, (upstream, _) in found.items()}
        return list(found.values())

    async def _listed(self, upstream: Upstream) -> list[Model]:
        try:
            models = await upstream.models()
        except UpstreamError as error:
            self.states[upstream.name] = error.message
            return []
        self.states[upstream.name] = OK
        return models
