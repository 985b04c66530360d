"""From a model server to a client: ask, read, write; ask again where the server threw an answer away.

Asked again is only while nothing of the answer has gone out, and once:

1. The server says that the model knows no tools: the tools go into the prompt.
2. The server could not read what its own model wrote, and its message does not hold the call: the same.
3. The server counted tokens but sent nothing of them: the same.
"""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from proxy.core.answer import Answer
from proxy.core.ask import Ask
from proxy.core.emit.emitter import Emitter
from proxy.core.filters import Filter
from proxy.core.pipe import Pipe
from proxy.core.rescue import is_unreadable, rescued
from proxy.core.tools import Tools
from proxy.errors import Refusal, UpstreamError
from proxy.exchange import Exchange
from proxy.out import Out
from proxy.service import Service
from proxy.upstream.http import Response
from proxy.upstream.plan import Plan, Upstream
from proxy.upstream.refusals import failure, refusal

_LOST: Final = 0.6
"""A prompt of which the server counts less than this part of our low estimate was cut."""
_SMALLEST_CONTEXT: Final = 2048
"""No model is given less: a shorter prompt is never cut."""


class Relay:
    """One answer on its way."""

    def __init__(
        self, service: Service, exchange: Exchange, upstream: Upstream, headers: dict[str, str], out: Out
    ) -> None:
        self._service = service
        self._exchange = exchange
        self._upstream = upstream
        self._headers = headers | upstream.headers
        self._out = out
        self._response: Response | None = None

    async def run(self, ask: Ask, emitter: Callable[[], Emitter], filters: Callable[[], Sequence[Filter]]) -> None:
        """Get the answer, and pass it on; an answer that is thrown away takes its emitter and filters with it."""
        try:
            await self._out.end(await self._answer(ask, emitter, filters))
            if self._response:
                await self._response.finish()
        finally:
            self._close()

    def _close(self) -> None:
        """Tell the model server that no more is wanted, if it is still talking."""
        if self._response:
            self._response.close()
            self._response = None

    async def _answer(self, ask: Ask, emitter: Callable[[], Emitter], filters: Callable[[], Sequence[Filter]]) -> bytes:
        """Pass on the answer up to its last piece, which is returned."""
        tools = Tools(one.tool for one in ask.tools)
        prompt = again = False
        while True:
            plan = await self._upstream.plan(ask, prompt=prompt)
            self._exchange.prompt_tools = bool(ask.tools) and not plan.native
            pipe = Pipe(plan.wire, Answer(tools, self._service.dialects, plan.begins), emitter(), filters())
            may_ask_again = bool(ask.tools) and not again
            try:
                last = await self._pour(plan, pipe)
            except UpstreamError as error:
                unsaid = not self._out.started
                may_learn = plan.native and may_ask_again
                if may_learn and isinstance(error, Refusal) and self._upstream.learn(ask, error):
                    prompt = True
                    continue
                won_back = rescued(error.message, tools, self._service.dialects)
                if not won_back:
                    if unsaid and may_ask_again and is_unreadable(error.message):
                        prompt = again = True
                        continue
                    await self._give_up(pipe)
                    raise
                last = pipe.rescue(won_back)
            else:
                last += pipe.finish()
                # An answer that the token limit ended before anything was said is one, too: its finish says so.
                if ask.tools and not pipe.tally.spoken and pipe.tally.finish != "length":
                    if self._out.started or not may_ask_again:
                        raise _empty(pipe)
                    prompt = again = True
                    continue
            self._note(plan, pipe)
            return last + pipe.end()

    async def _give_up(self, pipe: Pipe) -> None:
        """The answer ends here; what was held back of it is said, and no call is completed."""
        pipe.tally.finish = "length"
        said = pipe.finish()
        self._exchange.spoken(pipe)
        if said:
            await self._out.write(said)

    async def _pour(self, plan: Plan, pipe: Pipe) -> bytes:
        """Pass on the answer to one request up to its last piece, which is returned."""
        self._close()
        self._response = await self._service.http.post(plan.url, plan.body, self._headers)
        if self._response.status >= 300:
            raise await refusal(self._response, self._upstream, plan.body["model"])
        return await self._pour_body(self._response, pipe)

    async def _pour_body(self, response: Response, pipe: Pipe) -> bytes:
        read, feed, write = response.read, pipe.feed, self._out.write
        try:
            while data := await read():
                said = feed(data)
                if self._exchange.first is None:
                    self._exchange.first = monotonic()
                if pipe.over:
                    break
                if said:
                    await write(said)
            else:
                said = pipe.close()
        except UpstreamError:
            if not pipe.tally.finish:
                raise
            said = b""  # the model was done: what its server failed in is the end of the stream
        if pipe.error:
            if said:
                await write(said)
            raise failure(pipe.error, self._exchange.model)
        if not pipe.over and not pipe.tally.finish:
            if said:
                await write(said)
            what = f"{self._upstream.url} ended the answer without saying that it was done; see its log"
            raise UpstreamError(502, what, "upstream_died")
        return said

    def _note(self, plan: Plan, pipe: Pipe) -> None:
        """What is worth knowing about the answer."""
        self._exchange.spoken(pipe)
        counted = pipe.tally.usage.prompt
        fits = plan.estimate < (plan.num_ctx or _SMALLEST_CONTEXT)
        if counted and not fits and counted < _LOST * plan.estimate:
            self._exchange.context = "cut"


def _empty(pipe: Pipe) -> UpstreamError:
    tokens = pipe.tally.usage.completion
    what = f"the model wrote {tokens} tokens, but its server passed on nothing of them, twice; try another model"
    return UpstreamError(502, what, "empty_answer")
