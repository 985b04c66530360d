"""Clients as processes of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from mcp_running import environment

from mcp_clients.packages import Clients
from mcp_clients.questions import QUESTIONS, Json

HERE = Path(__file__).parent
PATIENCE = 60
"""Seconds for a client; they take one when the machine has nothing else to do."""


def ask(clients: Clients, home: Path, script: str, way: Json) -> Json:
    """Run a client's script; gives what it saw. `way` is how it connects."""
    if script.endswith(".py"):
        path = [HERE.parent, *([clients.mcp1] if script == "python1.py" else [])]
        program, env = sys.executable, {"PYTHONPATH": os.pathsep.join(map(str, path))}
    else:
        program, env = clients.node, {"NODE_PATH": str(clients.node_modules)}
    told = json.dumps({"way": way, "questions": QUESTIONS})
    seen: Json = json.loads(output([program, str(HERE / script), told], home, env))
    return seen


def output(command: list[str], home: Path, env: dict[str, str], code: int = 0) -> bytes:
    """What a process prints that ends with this code."""
    env = {**os.environ, "NO_PROXY": "127.0.0.1", **env}
    ran = subprocess.run(command, cwd=home, env=env, capture_output=True, check=False, timeout=PATIENCE)
    assert ran.returncode == code, ran.stderr.decode()[-3000:] + ran.stdout.decode()[-1000:]
    return ran.stdout


def stdio(home: Path) -> Json:
    """How a client starts us; what else it hands on of its own environment is its business."""
    ours = environment(home)
    names = ("PYTHONPATH", "XDG_CONFIG_HOME", "APPDATA", "STRICTCALL_DB", "STRICTCALL_TOOLS_DIR")
    return {
        "transport": "stdio",
        "command": sys.executable,
        "args": ["-m", "runner.cli", "mcp"],
        "env": {name: ours[name] for name in names},
    }
