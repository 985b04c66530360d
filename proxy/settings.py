"""All settings, in one typed place: flags, then `STRICTCALL_*`, then `strictcall.toml`, the project's and the user's.

[[upstreams]]                      # or: upstreams = ["http://127.0.0.1:11434", "lmstudio=http://127.0.0.1:1234/v1"]
url = "http://127.0.0.1:11434"     # ends in /v1: any OpenAI-compatible server; else Ollama

[models."qwen3*"]                  # by shell pattern; the first that fits
num_ctx = 16384
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from fnmatch import fnmatchcase
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from proxy.core.shell import Shell

FILE: Final = "strictcall.toml"
PREFIX: Final = "STRICTCALL_"
OLLAMA_PORT: Final = 11434

Mode = Literal["strict", "shell", "off"]


class BadSetting(Exception):  # noqa: N818 - whose fault it is, is its name
    """A setting that cannot be: where it came from, what was wanted, what was found."""


@dataclass(frozen=True, slots=True)
class UpstreamSetting:
    """A model server."""

    url: str
    name: str = ""
    """its models can be asked for as `name/model`"""
    api_key: str = field(default="", metadata={"secret": True})

    @property
    def is_openai(self) -> bool:
        """Is this an OpenAI-compatible server, and not an Ollama?"""
        return urlsplit(self.url).path.rstrip("/").endswith("/v1")


@dataclass(frozen=True, slots=True)
class ModelSetting:
    """What is known better than the model server does."""

    mode: Mode | None = None
    num_ctx: int | None = None
    """the context of this model, always the same: a change makes Ollama load it again"""
    tools: Literal["auto", "native", "prompt"] = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """How the proxy runs. A field's `about` is its help on the command line, too."""

    host: str = field(default="127.0.0.1", metadata={"about": "Address to listen on; not loopback: needs an API key."})
    port: int = field(default=8787, metadata={"about": "Port to listen on; 0 picks a free one."})
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
    api_key: str = field(default="", metadata={"about": "Key that clients must send.", "secret": True})
    allowed_hosts: tuple[str, ...] = field(
        default=(), metadata={"about": "Further names under which clients may reach this server."}
    )
    cors_origins: tuple[str, ...] = field(default=(), metadata={"about": "Web origins that may call this server."})
    demo: bool = field(default=True, metadata={"about": "Serve the scripted models demo/<dialect>."})
    connect_timeout: float = field(default=10.0, metadata={"about": "Seconds to reach a model server."})
    idle_timeout: float = field(default=600.0, metadata={"about": "Seconds that a model server may be silent."})
    drain_timeout: float = field(default=30.0, metadata={"about": "Seconds that running answers get at shutdown."})
    max_body: int = field(default=64 << 20, metadata={"about": "Largest request body, in bytes."})
    log_format: Literal["text", "json"] = field(default="text", metadata={"about": "How log lines are written."})
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


# ---- where values come from


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from, as the user would look for it."""

    name: str
    values: Mapping[str, Any]


def load(flags: Mapping[str, Any], env: Mapping[str, str] = os.environ) -> tuple[Settings, dict[str, str]]:
    """The settings, and for each the place that it came from."""
    origins = [
        Origin("flag", {key: value for key, value in flags.items() if value not in (None, ())}),
        Origin("environment", _from_environment(env)),
        *(Origin(str(path), _from_file(path)) for path in files(env)),
    ]
    hints = get_type_hints(Settings)
    values, sources = dict[str, Any](), dict[str, str]()
    for setting in fields(Settings):
        origin = next((one for one in origins if setting.name in one.values), None)
        if origin:
            where = f"{origin.name}: {setting.name}"
            values[setting.name] = _typed(origin.values[setting.name], hints[setting.name], where)
        sources[setting.name] = origin.name if origin else "default"
    if "upstreams" not in values:
        values["upstreams"] = (UpstreamSetting(ollama_url(env.get("OLLAMA_HOST", "")), "ollama"),)
        sources["upstreams"] = "environment (OLLAMA_HOST)" if env.get("OLLAMA_HOST") else "default"
    settings = Settings(**values)
    if settings.is_open and not settings.api_key:
        raise BadSetting(
            f"host {settings.host} can be reached from other machines; add --api-key KEY, or listen on 127.0.0.1"
        )
    return settings, sources


def files(env: Mapping[str, str] = os.environ) -> list[Path]:
    """The files that are read: the project's (here or above), then the user's."""
    here = Path.cwd()
    project = next((one / FILE for one in (here, *here.parents) if (one / FILE).is_file()), None)
    user = user_directory(env) / FILE
    return [path for path in (project, user) if path and path.is_file()]


def user_directory(env: Mapping[str, str] = os.environ) -> Path:
    """Where the user's settings live."""
    if os.name == "nt":
        return Path(env.get("APPDATA") or Path.home() / "AppData/Roaming") / "strictcall"
    return Path(env.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "strictcall"


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    for setting in fields(Settings):
        value = env.get(PREFIX + setting.name.upper())
        if value is not None:
            found[setting.name] = value
    return found


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {error}") from None
    known = {setting.name for setting in fields(Settings)}
    unknown = sorted(values.keys() - known)
    if unknown:
        raise BadSetting(f"{path}: there is no setting {unknown[0]!r}; known are {', '.join(sorted(known))}")
    return values


# ---- values from text


def _typed(value: Any, kind: Any, where: str) -> Any:
    """`value` as the type of its field."""
    origin = get_origin(kind)
    if kind == tuple[UpstreamSetting, ...]:
        return _upstreams(value, where)
    if origin is tuple:
        listed = [one.strip() for one in value.split(",")] if isinstance(value, str) else value
        return tuple(str(one) for one in listed if one)
    if kind == Mapping[str, ModelSetting]:
        return _models(value, where)
    if origin is Literal:
        if value not in get_args(kind):
            raise BadSetting(f"{where} must be one of {', '.join(get_args(kind))}, found {value!r}")
        return value
    if kind is bool:
        return _truth(value, where)
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise BadSetting(f"{where} must be a number, found {value!r}") from None


def _truth(value: Any, where: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    found = value if isinstance(value, bool) else words.get(str(value).lower())
    if found is None:
        raise BadSetting(f"{where} must be true or false, found {value!r}")
    return found


def _upstreams(value: Any, where: str) -> tuple[UpstreamSetting, ...]:
    listed = value.split(",") if isinstance(value, str) else value
    found = tuple(_upstream(one, where) for one in listed if one)
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BadSetting(f"{where}: two upstreams are called {twice!r}; name them: NAME=URL")
    return found


def _upstream(value: Any, where: str) -> UpstreamSetting:
    if isinstance(value, str):
        name, equals, url = value.strip().partition("=")
        if not equals or "/" in name:
            name, url = "", value.strip()
        value = {"name": name, "url": url}
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("url"), str)
        or value.keys() - {"name", "url", "api_key"}
    ):
        raise BadSetting(f"{where} must be [NAME=]URL, or a table with url, name, api_key; found {value!r}")
    where_to = urlsplit(value["url"])
    if where_to.scheme not in {"http", "https"} or not where_to.hostname:
        raise BadSetting(f"{where} must be an http:// or https:// address, found {value['url']!r}")
    return UpstreamSetting(
        value["url"].rstrip("/"), value.get("name") or where_to.netloc.rpartition("@")[2], value.get("api_key", "")
    )


def _models(value: Any, where: str) -> dict[str, ModelSetting]:
    if not isinstance(value, dict):
        raise BadSetting(f'{where} must be tables like [models."qwen3*"] in {FILE}')
    hints = get_type_hints(ModelSetting)
    found = {}
    for pattern, given in value.items():
        unknown = given.keys() - hints.keys() if isinstance(given, dict) else {"?"}
        if unknown:
            raise BadSetting(f"{where}.{pattern} may have {', '.join(hints)}; found {', '.join(sorted(unknown))}")
        for key, one in given.items():
            wanted = [arg for arg in (*get_args(hints[key]), hints[key]) if arg is not type(None)]
            choices = [word for kind in wanted if get_origin(kind) is Literal for word in get_args(kind)]
            if (choices and one not in choices) or (key == "num_ctx" and (not isinstance(one, int) or one < 1)):
                hint = ", ".join(choices) or "a number of tokens"
                raise BadSetting(f"{where}.{pattern}.{key} must be {hint}; found {one!r}")
        found[pattern] = ModelSetting(**given)
    return found


def ollama_url(host: str) -> str:
    """The address that `OLLAMA_HOST` means: a scheme, a host and a port may each be missing."""
    url = urlsplit(host if "://" in host else f"http://{host}")
    name = url.hostname or "127.0.0.1"
    name = "127.0.0.1" if name in {"0.0.0.0", "::"} else f"[{name}]" if ":" in name else name  # noqa: S104 - not bound to
    port = url.port or {"http": OLLAMA_PORT, "https": 443}.get(url.scheme, OLLAMA_PORT)
    return f"{url.scheme}://{name}:{port}{url.path.rstrip('/')}"


def shown(settings: Settings) -> dict[str, Any]:
    """Every value as JSON, secrets hidden."""
    found = {}
    for setting in fields(Settings):
        value = getattr(settings, setting.name)
        if setting.metadata.get("secret"):
            value = "(hidden)" if value else ""
        elif setting.name == "upstreams":
            value = [
                {"name": one.name, "url": one.url} | ({"api_key": "(hidden)"} if one.api_key else {}) for one in value
            ]
        elif setting.name == "models":
            value = {pattern: _set(one) for pattern, one in value.items()}
        found[setting.name] = list(value) if isinstance(value, tuple) else value
    return found


def _set(value: ModelSetting) -> dict[str, Any]:
    return {
        one.name: getattr(value, one.name)
        for one in fields(value)
        if one.default is MISSING or getattr(value, one.name) != one.default
    }
