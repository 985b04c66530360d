"""What becomes of calls: the mode of one request.

The first that says so counts: the path (`/shell/v1/...`), the header `X-Strictcall-Mode`, the end of the model's name
(`qwen3@shell`), the model's setting, the server's.
"""

from collections.abc import Mapping
from typing import Any, Final, get_args

from proxy.core.ask import BadRequest
from proxy.settings import Mode, Settings

HEADER: Final = b"x-strictcall-mode"
MODES: Final[tuple[Mode, ...]] = get_args(Mode)


def mode_of(scope: Mapping[str, Any], model: str, settings: Settings) -> tuple[Mode, str]:
    """The mode of a request, and the model's name without it."""
    name, at, suffix = model.rpartition("@")
    by_name = suffix if at and suffix in MODES else ""
    model = name if by_name else model
    by_path = _in_path(scope["path"])
    if by_path:
        return by_path, model
    by_header = next((value.decode("latin-1").lower() for key, value in scope["headers"] if key == HEADER), "")
    if by_header and by_header not in MODES:
        raise BadRequest(f"the header X-Strictcall-Mode must be one of {', '.join(MODES)}, found {by_header!r}")
    return by_header or by_name or settings.model(model).mode or settings.mode, model


def without_mode(path: str) -> str:
    """A path as the model server has it."""
    mode = _in_path(path)
    return path.removeprefix(f"/{mode}") if mode else path


def _in_path(path: str) -> Mode | None:
    first = path.split("/", 2)[1]
    return first if first in MODES else None
