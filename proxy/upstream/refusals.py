"""Why a model server refused a request, as a client should hear it."""

import re
from typing import Final

import orjson

from proxy.errors import Refusal, UpstreamError
from proxy.modes import MODES
from proxy.upstream.http import Response
from proxy.upstream.plan import Upstream
from proxy.upstream.pool import DEMO

_MOST: Final = 1 << 16
_CONTEXT: Final = re.compile(r"context (?:length|size|window)|exceed_context|maximum context|too long", re.IGNORECASE)
_PASSED: Final = {400, 401, 403, 404, 413, 422, 429, 503}
"""Statuses that mean to a client what they mean to us."""


async def refusal(response: Response, upstream: Upstream, model: str) -> UpstreamError:
    """The error that a response is."""
    try:
        text = _message((await response.whole(_MOST)).decode(errors="replace"))
    except UpstreamError:
        text = ""
    status = response.status
    if status == 404 and upstream.is_ollama:
        if "not found" in text and model in text:
            return not_there(model, upstream.url)
        return no_ollama(upstream.url)
    if _CONTEXT.search(text):
        return _too_long(text, model)
    if status == 403 and not text:
        text = "its Host check refuses this address (OLLAMA_HOST)"
    if status < 400:
        text = f"look at {response.headers.get('location', 'another place')}; name that address with --upstream"
    said = text or "without a reason"
    return Refusal(status if status in _PASSED else 502, f"{upstream.url} answers {status}: {said}", "upstream_failed")


def not_there(model: str, url: str) -> UpstreamError:
    """A model that an Ollama does not have."""
    name, at, mode = model.rpartition("@")
    if at:
        what = f"{mode!r} is no mode; behind @ may stand {', '.join(MODES)}: {name}@{MODES[0]}"
    elif model.startswith(f"{DEMO}/"):
        what = f"there is no demo model {model!r}; GET /v1/models lists them"
    else:
        what = f"model {model!r} is not on {url}; run: ollama pull {model}"
    return UpstreamError(404, what, "model_not_found", "model")


def no_ollama(url: str) -> UpstreamError:
    """A server that answers, but not as an Ollama does."""
    what = f"{url} is no Ollama; if it is OpenAI-compatible, add /v1: --upstream {url}/v1"
    return UpstreamError(502, what, "upstream_failed")


def failure(text: str, model: str) -> UpstreamError:
    """The error that a model server reports in its answer."""
    return _too_long(text, model) if _CONTEXT.search(text) else UpstreamError(502, text, "upstream_failed")


def _too_long(text: str, model: str) -> UpstreamError:
    what = f"the prompt is longer than the context of {model}: {text}; shorten it, or raise num_ctx"
    return UpstreamError(400, what, "context_length_exceeded", "messages")


def _message(body: str) -> str:
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.strip()
    error = said.get("error", said.get("detail", said)) if isinstance(said, dict) else said
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
