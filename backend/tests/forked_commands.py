"""Runs `tacho` commands in forks of a process that has imported them.

Most of the time of a short command is its imports, which a fork has already. The command is still a
process of its own, with its own environment, folder, outputs and exit code.
"""

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from backend.core.config import ROOT

# Commands import these when they need them. Their imports do not read the environment.
_IMPORTED_LATE = ("alembic.command", "celery", "docker", "httpx", "kombu", "numpy", "uvicorn")


def run_forked(
    variables: Mapping[str, str], words: tuple[str, ...], folder: Path | None, limit_s: int
) -> subprocess.CompletedProcess[str]:
    """Run `tacho` with these words until it ends; after `limit_s` a signal ends it."""
    server = _start_server()
    assert server.stdin is not None
    assert server.stdout is not None
    with TemporaryDirectory() as outputs:
        stdout, stderr = Path(outputs, "stdout"), Path(outputs, "stderr")
        command = {
            "words": words,
            "variables": dict(variables),
            "folder": str(folder or Path.cwd()),
            "outputs": [str(stdout), str(stderr)],
            "limit_s": limit_s,
        }
        server.stdin.write(json.dumps(command) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(words, code, stdout.read_text(), stderr.read_text())


@cache
def _start_server() -> "subprocess.Popen[str]":
    """Start the process that forks. It ends with this process, which holds its standard input."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("TACHO_")},
        # Ctrl-C in a terminal must reach the tests only.
        start_new_session=True,
    )


def _serve() -> None:
    """Run the commands that standard input describes, one at a time, and print their exit codes."""
    app = import_module("cli").app
    for name in _IMPORTED_LATE:
        import_module(name)
    gc.freeze()
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as codes:
        for line in sys.stdin:
            child = os.fork()
            if child == 0:
                codes.close()
                _become(json.loads(line))
                app(prog_name="tacho")
            _, status = os.waitpid(child, 0)
            print(os.waitstatus_to_exitcode(status), file=codes, flush=True)


def _become(command: dict[str, object]) -> None:
    """Give this process what a shell gives a command."""
    outputs, variables = command["outputs"], command["variables"]
    words, folder, limit_s = command["words"], command["folder"], command["limit_s"]
    assert isinstance(outputs, list)
    assert isinstance(variables, dict)
    assert isinstance(words, list)
    assert isinstance(limit_s, int)
    for descriptor, path in enumerate([os.devnull, *outputs]):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(str(folder))
    sys.argv = ["tacho", *map(str, words)]
    signal.alarm(limit_s)


if __name__ == "__main__":
    _serve()
