"""What all requests share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proxy.core.ask import Function
from proxy.core.dialect import Dialect
from proxy.core.shell import Runner
from proxy.meters import Meters
from proxy.settings import Settings
from proxy.upstream.http import Http
from proxy.upstream.pool import Pool


@dataclass(frozen=True, slots=True)
class ShellTools:
    """The registry's tools, asked for with every request because they may be switched, and what runs them."""

    tools: Callable[[], Sequence[Function]]
    runner: Runner


@dataclass(frozen=True, slots=True)
class Service:
    """A running proxy."""

    settings: Settings
    http: Http
    pool: Pool
    dialects: Sequence[Dialect]
    meters: Meters
    shell: ShellTools | None = None

    def forwarded(self, headers: Mapping[bytes, bytes]) -> dict[str, str]:
        """What of the client's headers a model server gets: its key, unless that was for us."""
        key = headers.get(b"authorization", b"")
        return {"Authorization": key.decode("latin-1")} if key and not self.settings.api_key else {}
