"""Where settings come from, what is wrong with one, and that no secret is shown."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from db.location import SETTINGS as FILE
from proxy.settings import BadSetting, ModelSetting, Settings, UpstreamSetting, load, ollama_url

ROOT = Path(__file__).parent.parent
SECRET = "s3cret"  # noqa: S105 - of this test


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A project with a folder in it, where we are, and the user's own settings."""
    inner = tmp_path / "project/deep/inside"
    inner.mkdir(parents=True)
    (tmp_path / "user/strictcall").mkdir(parents=True)
    monkeypatch.chdir(inner)
    return {"project": tmp_path / "project" / FILE, "user": tmp_path / "user/strictcall" / FILE}


@pytest.fixture
def env(places: dict[str, Path]) -> dict[str, str]:
    user = str(places["user"].parent.parent)
    return {"XDG_CONFIG_HOME": user, "APPDATA": user}


def test_the_nearest_place_that_says_something_counts(places: dict[str, Path], env: dict[str, str]) -> None:
    """Flag, environment, project, user, default: each is seen once the one before it is silent."""
    flags: dict[str, Any] = {"port": 1}
    env["STRICTCALL_PORT"] = "2"
    places["project"].write_text("port = 3")
    places["user"].write_text("port = 4")
    seen = [load(flags, env)]
    flags["port"] = None
    seen.append(load(flags, env))
    env["STRICTCALL_PORT"] = ""
    seen.append(load(flags, env))
    places["project"].unlink()
    seen.append(load(flags, env))
    places["user"].unlink()
    seen.append(load(flags, env))
    assert [settings.port for settings, _ in seen] == [1, 2, 3, 4, 8787]
    named = [sources["port"] for _, sources in seen]
    assert named == ["flag", "environment", str(places["project"]), str(places["user"]), "default"]


def test_places_add_up(places: dict[str, Path], env: dict[str, str]) -> None:
    places["project"].write_text('mode = "shell"\nport = 3')
    places["user"].write_text('log_format = "json"\nport = 4')
    settings, sources = load({"arguments": "whole"}, env)
    assert (settings.mode, settings.log_format, settings.arguments, settings.port) == ("shell", "json", "whole", 3)
    assert sources.keys() == {one.name for one in fields(Settings)}


def test_the_nearest_file_of_the_project_counts(places: dict[str, Path], env: dict[str, str]) -> None:
    places["project"].write_text("port = 3")
    nearer = places["project"].parent / "deep" / FILE
    nearer.write_text("port = 5")
    assert load({}, env)[0].port == 5


def test_a_project_cannot_name_a_folder_of_tools_because_they_are_run(
    places: dict[str, Path], env: dict[str, str]
) -> None:
    places["user"].write_text('tools_dir = "mine"')
    assert load({}, env)[0].tools_dir == "mine"
    assert load({}, env | {"STRICTCALL_TOOLS_DIR": "/else/where"})[0].tools_dir == "/else/where"
    places["project"].write_text('tools_dir = "theirs"')
    with pytest.raises(BadSetting, match=r"project.strictcall\.toml: tools_dir is only read from .*user"):
        load({}, env)


TEXTS: list[tuple[str, str, Any]] = [
    ("PORT", "9", 9),
    ("DEMO", "no", False),
    ("DEMO", "1", True),
    ("IDLE_TIMEOUT", "0.5", 0.5),
    ("ALLOWED_HOSTS", " a.local, b.local ,", ("a.local", "b.local")),
    ("CORS_ORIGINS", "*", ("*",)),
    ("MODE", "off", "off"),
    ("UPSTREAMS", "http://a:1", (UpstreamSetting("http://a:1", "a:1"),)),
    (
        "UPSTREAMS",
        "http://a:1/, lab=http://b/v1?x=1",
        (UpstreamSetting("http://a:1", "a:1"), UpstreamSetting("http://b/v1?x=1", "lab")),
    ),
]


@pytest.mark.parametrize(("name", "text", "meant"), TEXTS)
def test_text_from_the_environment_gets_the_type_of_its_setting(
    env: dict[str, str], name: str, text: str, meant: Any
) -> None:
    settings, sources = load({}, env | {f"STRICTCALL_{name}": text})
    assert getattr(settings, name.lower()) == meant
    assert sources[name.lower()] == "environment"


def test_a_file_may_have_everything(places: dict[str, Path], env: dict[str, str]) -> None:
    places["project"].write_text("""
    cors_origins = ["https://app.example"]
    [[upstreams]]
    url = "http://127.0.0.1:11434/"
    [[upstreams]]
    name = "lab"
    url = "https://lab.example/v1"
    api_key = "k"
    [models."qwen3:*"]
    num_ctx = 16384
    mode = "shell"
    [models."*"]
    tools = "prompt"
    """)
    settings, _ = load({}, env)
    assert settings.upstreams == (
        UpstreamSetting("http://127.0.0.1:11434", "127.0.0.1:11434"),
        UpstreamSetting("https://lab.example/v1", "lab", "k"),
    )
    assert [one.is_openai for one in settings.upstreams] == [False, True]
    assert settings.model("qwen3:8b") == ModelSetting("shell", 16384)
    assert settings.model("llama") == ModelSetting(tools="prompt")


OLLAMA_HOSTS = {
    # By Ollama's own rules: a scheme that is said has its own port.
    "": "http://127.0.0.1:11434",
    "0.0.0.0": "http://127.0.0.1:11434",  # noqa: S104 - called, not bound to
    "0.0.0.0:8080": "http://127.0.0.1:8080",
    ":8080": "http://127.0.0.1:8080",
    "gpu": "http://gpu:11434",
    "gpu:1": "http://gpu:1",
    "http://gpu": "http://gpu:80",
    "https://gpu": "https://gpu:443",
    "http://gpu:99/ollama/": "http://gpu:99/ollama",
    "gpu/ollama": "http://gpu:11434/ollama",
    "::1": "http://[::1]:11434",
    "[::1]": "http://[::1]:11434",
    "[::1]:5": "http://[::1]:5",
    "[::]:5": "http://127.0.0.1:5",
    "gpu:99999": "http://gpu:11434",
    ' "gpu:1" ': "http://gpu:1",
}


@pytest.mark.parametrize(("host", "url"), OLLAMA_HOSTS.items())
def test_ollama_host_may_have_any_form(env: dict[str, str], host: str, url: str) -> None:
    assert ollama_url(host) == url
    settings, sources = load({}, env | {"OLLAMA_HOST": host})
    assert settings.upstreams == (UpstreamSetting(url, "ollama"),)
    assert sources["upstreams"] == ("environment (OLLAMA_HOST)" if host else "default")


def test_ollama_host_is_for_who_says_nothing_else(env: dict[str, str]) -> None:
    settings, sources = load({"upstreams": ("http://a",)}, env | {"OLLAMA_HOST": "gpu"})
    assert settings.upstreams == (UpstreamSetting("http://a", "a"),)
    assert sources["upstreams"] == "flag"


WRONG: dict[str, tuple[str, tuple[str, ...]]] = {
    "not TOML": ("port = ]", ("cannot be read", "line 1")),
    "an unknown setting": ("prot = 1", ("no setting 'prot'", "port")),
    "no number": ('port = "x"', ("port", "integer", "'x'")),
    "no port": ("port = 70000", ("port", "65535", "70000")),
    "less than nothing": ("max_body = -1", ("max_body", "greater than 0", "-1")),
    "for ever": ("idle_timeout = inf", ("idle_timeout", "inf")),
    "no choice": ('mode = "stric"', ("mode", "'strict', 'shell' or 'off'", "'stric'")),
    "neither yes nor no": ('demo = "maybe"', ("demo", "boolean", "'maybe'")),
    "no text": ("host = 5", ("host", "string", "5")),
    "no address": ('upstreams = ["gpu-box"]', ("upstreams[0]", "http://127.0.0.1:11434", "'gpu-box'")),
    "another protocol": ('upstreams = ["ftp://gpu-box"]', ("upstreams[0]", "ftp://gpu-box")),
    "a port that is none": ('upstreams = ["http://gpu:99999"]', ("upstreams[0]", "0-65535")),
    "no url": ("[[upstreams]]\nname = 'x'", ("upstreams[0]['url']", "required")),
    "an unknown key": ("[[upstreams]]\nurl = 'http://a'\nkey = 's3cret'", ("upstreams[0]['key']", "no such setting")),
    "a key that is no text": ("[[upstreams]]\nurl = 'http://a'\napi_key = 53", ("upstreams[0]['api_key']", "string")),
    "the same name twice": ('upstreams = ["a=http://x", "a=http://y"]', ("two are called 'a'", "NAME=URL")),
    "a password": ('upstreams = ["http://me:s3cret@x"]', ("upstreams[0]", "api_key")),
    "no upstreams": ("upstreams = 5", ("upstreams", "5")),
    "no models": ('models = "x"', ("models", "'x'")),
    "an unknown key of a model": ("[models.q]\nctx = 5", ("models['q']['ctx']", "no such setting")),
    "a small context": ("[models.q]\nnum_ctx = 0", ("models['q']['num_ctx']", "greater than 0")),
    "a wrong mode of a model": ('[models."q*"]\nmode = "x"', ("models['q*']['mode']", "'strict'")),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_value_is_named_with_its_place_and_what_was_wanted(
    places: dict[str, Path], env: dict[str, str], text: str, said: tuple[str, ...]
) -> None:
    places["project"].write_text(text)
    with pytest.raises(BadSetting) as caught:
        load({}, env)
    message = str(caught.value)
    assert str(places["project"]) in message
    assert not [part for part in said if part not in message], message
    assert SECRET not in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("variable", "text"), [("STRICTCALL_PORT", "x"), ("STRICTCALL_UPSTREAMS", "x"), ("OLLAMA_HOST", "gopher://x")]
)
def test_a_wrong_variable_is_named(env: dict[str, str], variable: str, text: str) -> None:
    with pytest.raises(BadSetting, match=variable):
        load({}, env | {variable: text})


def test_no_secret_is_in_what_is_printed_of_settings() -> None:
    settings, _ = load({"api_key": SECRET, "upstreams": ({"url": "http://a", "api_key": SECRET},)}, {})
    assert SECRET not in repr(settings)


# ---- the command


def config_show(env: dict[str, str], *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runner.cli", "config", "show", *flags],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_config_show_says_where_each_value_came_from(places: dict[str, Path], env: dict[str, str]) -> None:
    places["project"].write_text(f'[[upstreams]]\nurl = "http://a/v1"\napi_key = "{SECRET}"\n[models.q]\nnum_ctx = 9')
    env |= {"STRICTCALL_API_KEY": SECRET, "STRICTCALL_MODE": "shell"}
    found = json.loads(config_show(env, "--json", "--port", "9").stdout)
    assert found.keys() == {one.name for one in fields(Settings)}
    assert found["port"] == {"value": 9, "from": "flag"}
    assert found["mode"] == {"value": "shell", "from": "environment"}
    assert found["host"] == {"value": "127.0.0.1", "from": "default"}
    assert found["models"]["value"]["q"]["num_ctx"] == 9
    upstream = {"url": "http://a/v1", "name": "a", "api_key": "(hidden)"}
    assert found["upstreams"] == {"value": [upstream], "from": str(places["project"])}
    shown = config_show(env).stdout
    assert [line.split()[0] for line in shown.splitlines()[: len(found)]] == list(found)
    assert str(places["project"]) in shown
    assert SECRET not in shown + json.dumps(found)


def test_a_wrong_setting_is_one_line_for_whoever_starts_it(places: dict[str, Path], env: dict[str, str]) -> None:
    places["project"].write_text("port = 70000")
    ran = config_show(env)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert str(places["project"]) in ran.stderr


@pytest.mark.parametrize("flag", ["--port=70000", "--mode=x", "--upstream=x", "--max-body=0", "--idle-timeout=nan"])
def test_a_wrong_flag_is_one_line(env: dict[str, str], flag: str) -> None:
    ran = config_show(env, flag)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert flag.partition("=")[0].strip("-").replace("-", "_")[:8] in ran.stderr.replace("-", "_")
