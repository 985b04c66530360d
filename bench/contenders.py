"""Who is measured: nothing in between, nginx, LiteLLM and strictcall, each as a process on a free port of the loopback.

Each has one worker, is configured for streaming as its documentation advises, and stands in front of the same upstream.
"""

import http.client
import importlib.metadata
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import answers, processes

CACHE = Path(__file__).parent.parent / ".bench"
STRICTCALL = Path(sys.executable).with_name("strictcall")
PATIENCE = 120.0  # LiteLLM takes half a minute to start on a slow machine

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log error;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    keepalive_requests 1000000;
    upstream model {{ server 127.0.0.1:{upstream}; keepalive 1024; keepalive_requests 1000000; }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://model;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
            proxy_read_timeout 300s;
        }}
    }}
}}
"""
LITELLM = """
model_list:
  - model_name: {model}
    litellm_params:
      model: openai/{model}
      api_base: http://127.0.0.1:{upstream}/v1
      api_key: sk-bench
"""


class Missing(Exception):  # noqa: N818 - it says what is so, not what went wrong
    """A contender cannot be had here; the message says why, or how to get it."""


@dataclass(frozen=True, slots=True)
class Contender:
    """How one is started and asked."""

    name: str
    command: Callable[[Path, int, int], list[str]]  # a folder to write in, the port to listen on, that of the upstream
    health: str
    version: Callable[[], str]
    rewrites: bool = False  # calls come out as tool_calls
    slow: bool = False  # gets less work and fewer rounds


@dataclass(frozen=True, slots=True)
class Running:
    """One that was started."""

    contender: Contender
    port: int
    pids: tuple[int, ...]
    resident_mb: float  # after the start

    @property
    def name(self) -> str:
        """The name of its row."""
        return self.contender.name


def nginx_command(folder: Path, port: int, upstream: int) -> list[str]:
    conf = folder / "nginx.conf"
    conf.write_text(NGINX.format(folder=folder, port=port, upstream=upstream), "utf-8")
    return [nginx(), "-p", str(folder), "-c", str(conf), "-e", str(folder / "error.log")]


def nginx() -> str:
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if not found:
        raise Missing("nginx is not installed; run: apt-get install nginx")
    return found


def nginx_version() -> str:
    return output(nginx(), "-v").rpartition("/")[2]


def litellm_command(folder: Path, port: int, upstream: int) -> list[str]:
    config = folder / "litellm.yaml"
    config.write_text(LITELLM.format(model=answers.MODEL, upstream=upstream), "utf-8")
    options = f"--config {config} --host 127.0.0.1 --port {port} --num_workers 1 --telemetry False"
    return [str(litellm() / "litellm"), *options.split()]


def litellm() -> Path:
    """The folder of LiteLLM's programs, which is made on first use."""
    folder = CACHE / "litellm"
    if not (folder / "done").exists():
        print(f"installing litellm[proxy] into {folder} (about 750 MB, a minute or two)", file=sys.stderr)
        make = [sys.executable, "-m", "venv", str(folder)]
        install = [str(folder / "bin/pip"), "install", "--quiet", "litellm[proxy]"]
        for command in (make, install):
            if subprocess.run(command, check=False).returncode:
                raise Missing(
                    "LiteLLM could not be installed from PyPI; try again with a network, or leave it out: --contenders"
                )
        (folder / "done").touch()
    return folder / "bin"


def litellm_version() -> str:
    return output(str(litellm() / "python"), "-c", "from importlib.metadata import version as v; print(v('litellm'))")


def strictcall_command(form: answers.Form) -> Callable[[Path, int, int], list[str]]:
    def command(_folder: Path, port: int, upstream: int) -> list[str]:
        url = f"http://127.0.0.1:{upstream}{'/v1' if form == 'openai' else ''}"
        return [str(STRICTCALL), *f"serve --host 127.0.0.1 --port {port} --upstream {url} --no-demo".split()]

    return command


def strictcall_version() -> str:
    return importlib.metadata.version("strictcall")


def output(*command: str) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return (ran.stdout or ran.stderr).strip()


CONTENDERS = {
    one.name: one
    for one in (
        Contender("nginx", nginx_command, "/api/version", nginx_version),
        Contender("strictcall (ollama)", strictcall_command("ollama"), "/healthz", strictcall_version, rewrites=True),
        Contender("strictcall (openai)", strictcall_command("openai"), "/healthz", strictcall_version, rewrites=True),
        Contender("litellm", litellm_command, "/health/liveliness", litellm_version, slow=True),
    )
}
ENVIRONMENT = {
    "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",  # nobody else can reach it; spares it the check
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it is fetched from GitHub
    "LITELLM_LOG": "ERROR",
    "LITELLM_TELEMETRY": "False",
}


@contextmanager
def running(contender: Contender, folder: Path, upstream: int) -> Iterator[Running]:
    """Start a contender, wait until it answers, stop it at the end."""
    folder.mkdir()
    port = free_port()
    command = contender.command(folder, port, upstream)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | ENVIRONMENT, cwd=folder)
    try:
        wait_for(process, port, contender.health, folder / "log")
        pids = processes.tree(process.pid)
        yield Running(contender, port, pids, processes.resident_mb(pids))
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(process: subprocess.Popen[bytes], port: int, path: str, log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            if connection.getresponse().status == http.HTTPStatus.OK:
                return
        except (OSError, http.client.HTTPException):
            pass  # not up yet
        finally:
            connection.close()
        time.sleep(0.1)
    raise Missing(f"no answer from {path} of {process.args!r}; it said: {log.read_text('utf-8')[-2000:]}")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
