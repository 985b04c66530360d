"""All settings, in one typed place: flags, then `STRICTCALL_*`, then `strictcall.toml`, the project's and the user's.

[[upstreams]]                      # or: upstreams = ["http://127.0.0.1:11434", "lmstudio=http://127.0.0.1:1234/v1"]
url = "http://127.0.0.1:11434"     # ends in /v1: any OpenAI-compatible server; else Ollama

[models."qwen3*"]                  # by shell pattern; the first that fits
num_ctx = 16384

The types below are what is checked: pydantic reads them, and brings text from the environment to them.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from fnmatch import fnmatchcase
from ipaddress import ip_address
from math import inf
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal
from urllib.parse import urlsplit

from annotated_types import Ge, Gt, Le, Lt

from db.location import settings_files, user_settings
from proxy.core.shell import Shell

PREFIX: Final = "STRICTCALL_"

Mode = Literal["strict", "shell", "off"]
Seconds = Annotated[float, Gt(0), Lt(inf)]


class BadSetting(Exception):  # noqa: N818 - whose fault it is, is its name
    """A setting that cannot be: where it came from, what was wanted, what was found."""


@dataclass(frozen=True, slots=True)
class UpstreamSetting:
    """A model server."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    url: str
    name: str = ""
    """its models can be asked for as `name/model`"""
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if "@" in self.url:
            raise ValueError("a password in an address would be seen in logs; give a key as api_key")
        where_to = urlsplit(self.url)
        spaced = len(self.url.split()) != 1
        if where_to.scheme not in {"http", "https"} or not where_to.hostname or where_to.port == 0 or spaced:
            raise ValueError(f"it should be an address like http://127.0.0.1:11434, found {self.url!r}")

    @property
    def headers(self) -> dict[str, str]:
        """What it wants to be told with every request."""
        return {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}

    @property
    def is_openai(self) -> bool:
        """Is this an OpenAI-compatible server, and not an Ollama?"""
        return urlsplit(self.url).path.rstrip("/").endswith("/v1")


@dataclass(frozen=True, slots=True)
class ModelSetting:
    """What is known better than the model server does."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    mode: Mode | None = None
    num_ctx: Annotated[int, Gt(0)] | None = None
    """the context of this model, always the same: a change makes Ollama load it again"""
    tools: Literal["auto", "native", "prompt"] = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """How the proxy runs. A field's `about` is its help on the command line, too."""

    host: str = field(default="127.0.0.1", metadata={"about": "Address to listen on; not loopback: needs an API key."})
    port: Annotated[int, Ge(0), Le(65535)] = field(
        default=8787, metadata={"about": "Port to listen on; 0 picks a free one."}
    )
    upstreams: tuple[UpstreamSetting, ...] = field(
        default=(), metadata={"about": "Model server, [NAME=]URL; an URL that ends in /v1 is OpenAI-compatible."}
    )
    mode: Mode = field(
        default="strict", metadata={"about": "What a call becomes: a tool call, a shell block, or text."}
    )
    arguments: Literal["stream", "whole"] = field(
        default="stream", metadata={"about": "Send arguments as they are written, or each call whole."}
    )
    reasoning: Literal["field", "tags"] = field(
        default="field", metadata={"about": "Reasoning in reasoning_content, or in <think> tags in the content."}
    )
    shell: Shell = field(
        default="powershell" if os.name == "nt" else "bash",
        metadata={"about": "The shell that blocks are written for."},
    )
    api_key: str = field(default="", repr=False, metadata={"about": "Key that clients must send."})
    allowed_hosts: tuple[str, ...] = field(
        default=(), metadata={"about": "Further names under which clients may reach this server."}
    )
    cors_origins: tuple[str, ...] = field(default=(), metadata={"about": "Web origins that may call this server."})
    demo: bool = field(default=True, metadata={"about": "Serve the scripted models demo/<dialect>."})
    connect_timeout: Seconds = field(default=10.0, metadata={"about": "Seconds to reach a model server."})
    idle_timeout: Seconds = field(default=600.0, metadata={"about": "Seconds that a model server may be silent."})
    drain_timeout: Seconds = field(default=30.0, metadata={"about": "Seconds that running answers get at shutdown."})
    max_body: Annotated[int, Gt(0)] = field(default=64 << 20, metadata={"about": "Largest request body, in bytes."})
    log_format: Literal["text", "json"] = field(default="text", metadata={"about": "How log lines are written."})
    tools_dir: str = field(
        default="",
        metadata={"about": "Folder with tools of your own, which are run; else `tools` beside the database."},
    )
    models: Mapping[str, ModelSetting] = field(default_factory=dict, metadata={"about": "Settings by model name."})

    def model(self, name: str) -> ModelSetting:
        """The settings of a model."""
        return next((one for pattern, one in self.models.items() if fnmatchcase(name, pattern)), ModelSetting())

    @property
    def is_open(self) -> bool:
        """Does it listen beyond this machine?"""
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return self.host != "localhost"


def shown(settings: Settings) -> dict[str, Any]:
    """Every value as JSON, secrets hidden."""
    found = asdict(settings)
    for one in (found, *found["upstreams"]):
        one["api_key"] = "(hidden)" if one["api_key"] else ""
    return found


# ---- where values come from


@dataclass(frozen=True, slots=True)
class Origin:
    """A place that has values; `spelled` is how one is called there."""

    name: str
    values: Mapping[str, Any]
    spelled: str = "{}"


def load(flags: Mapping[str, Any], env: Mapping[str, str] = os.environ) -> tuple[Settings, dict[str, str]]:
    """The settings, and for each the place that it came from."""
    origins = [
        Origin("flag", {key: value for key, value in flags.items() if value not in (None, ())}, "flag {}"),
        Origin("environment", _from_environment(env), PREFIX + "{}"),
        *(Origin(path, _from_file(path, env), f"{path}: {{}}") for path in settings_files(env)),
        Origin("environment (OLLAMA_HOST)" if env.get("OLLAMA_HOST") else "default", _from_ollama(env), "OLLAMA_HOST"),
    ]
    names = [setting.name for setting in fields(Settings)]
    found = {name: origin for origin in reversed(origins) for name in names if name in origin.values}
    values = {name: _in_full(name, origin.values[name]) for name, origin in found.items()}
    places = {
        name: origin.spelled.format(name.upper() if origin.name == "environment" else name)
        for name, origin in found.items()
    }
    settings = _checked(values, places)
    _agreed(settings, places)
    return settings, {name: found[name].name if name in found else "default" for name in names}


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    """A variable that is empty says nothing."""
    given = {setting.name: env.get(PREFIX + setting.name.upper()) for setting in fields(Settings)}
    return {name: value for name, value in given.items() if value}


def _from_file(path: str, env: Mapping[str, str]) -> dict[str, Any]:
    try:
        values = tomllib.loads(Path(path).read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadSetting(f"{path} is not UTF-8; save it as UTF-8") from None
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {error}") from None
    known = {setting.name for setting in fields(Settings)}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise BadSetting(f"{path}: there is no setting {unknown[0]!r}; known are {', '.join(sorted(known))}")
    if "tools_dir" in values and path != user_settings(env):
        # Whoever enters a project has not yet agreed to run what it brings along.
        raise BadSetting(f"{path}: tools_dir is only read from {user_settings(env)}, because its files are run")
    return values


def _from_ollama(env: Mapping[str, str]) -> dict[str, Any]:
    return {"upstreams": [{"name": "ollama", "url": ollama_url(env.get("OLLAMA_HOST", ""))}]}


_ADDRESS: Final = re.compile(r"(?:\[(?P<v6>[^]]*)\]|(?P<name>[^:]*))(?::(?P<port>\d*))?")


def ollama_url(host: str) -> str:
    """The address that `OLLAMA_HOST` means, by Ollama's own rules: scheme, host and port may each be missing."""
    scheme, given, rest = host.strip(" \"'").rpartition("://")
    rest, _, path = rest.partition("/")
    parts = _ADDRESS.fullmatch(rest)
    name = (parts["v6"] or parts["name"] if parts else rest) or "127.0.0.1"
    # What a server binds to so that all can reach it is no address to call.
    name = "127.0.0.1" if name in {"0.0.0.0", "::"} else f"[{name}]" if ":" in name else name  # noqa: S104
    default = {"http": 80, "https": 443}.get(scheme, 11434)
    port = int(parts["port"]) if parts and parts["port"] else default
    address = f"{scheme if given else 'http'}://{name}:{port if port <= 65535 else default}"
    return f"{address}/{path}".rstrip("/")


# ---- values


def _in_full(name: str, value: Any) -> Any:
    """A list that was written as text, and upstreams that were, as a file would have them."""
    if isinstance(value, str) and name in {"upstreams", "allowed_hosts", "cors_origins"}:
        value = [one.strip() for one in value.split(",") if one.strip()]
    return [_upstream(one) for one in value] if name == "upstreams" and isinstance(value, list | tuple) else value


def _upstream(said: Any) -> Any:
    """An upstream as a table; one without a name is called by its address."""
    if isinstance(said, str):
        name, equals, url = said.partition("=")
        said = {"name": name, "url": url} if equals and "/" not in name else {"url": said}
    if isinstance(said, dict) and isinstance(said.get("url"), str):
        url = said["url"].strip().rstrip("/").removesuffix("/chat/completions")
        said = said | {"url": url, "name": said.get("name") or url.partition("://")[2].partition("/")[0]}
    return said


def _checked(values: Mapping[str, Any], places: Mapping[str, str]) -> Settings:
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - most commands have no settings

    try:
        return TypeAdapter(Settings).validate_python(values)
    except ValidationError as error:
        raise _bad(error.errors()[0], places) from None


def _bad(error: Mapping[str, Any], places: Mapping[str, str]) -> BadSetting:
    """Pydantic's error as the user reads it. Secrets are not for the eye, and may stand in a wrong place."""
    name, *inside = error["loc"]
    where = places[str(name)] + "".join(f"[{key!r}]" for key in inside)
    if error["type"] == "unexpected_keyword_argument":
        return BadSetting(f"{where}: there is no such setting; leave it out")
    what = error["msg"].removeprefix("Value error, ")
    hidden = "api_key" in error["loc"] or isinstance(error["input"], dict)
    return BadSetting(f"{where}: {what[:1].lower()}{what[1:]}" + ("" if hidden else f"; found {error['input']!r}"))


def _agreed(settings: Settings, places: Mapping[str, str]) -> None:
    """Look at what no value can tell alone."""
    names = [one.name for one in settings.upstreams]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadSetting(f"{places['upstreams']}: two are called {twice!r}; name them: NAME=URL")
    if settings.is_open and not settings.api_key:
        raise BadSetting(
            f"host {settings.host} can be reached from other machines; add --api-key KEY, or listen on 127.0.0.1"
        )
