"""A Tacho in a clone of its own, and the shell in which the commands of the guide run."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import httpx

from backend.core.config import ROOT
from backend.core.documents import JsonObject
from backend.core.people.access.keys import make_token
from backend.platform.databases.embedded_postgres import EmbeddedPostgres, as_unprivileged
from backend.platform.layout import Layout
from backend.platform.network import find_free_port, public_url
from backend.platform.packaged_servers import find_postgres_program

_COMMAND_SECONDS = 300
_START_SECONDS = 900
_STOP_SECONDS = 60
# Settings of the caller of `make guide`, and variables of its make.
_OF_THE_CALLER = re.compile("TACHO_|OTEL_|DATABASE_URL|REDIS_URL|MAKE|MFLAGS|PYTEST_|VIRTUAL_ENV")


class GuideFault(Exception):
    """A command of the guide does not work as it is written."""


@dataclass
class Shell:
    """The shell of a reader of one page: its folder, its variables and its user.

    Attributes:
        is_database_user: whether commands run as the user of the PostgreSQL server.
    """

    folder: Path
    variables: dict[str, str]
    is_database_user: bool = False

    def run(self, command: str, answer: str = "") -> str:
        """Run a command, and return its output. `export` changes the variables of the shell.

        Raises:
            GuideFault: its exit code is not 0, or it takes too long.
        """
        is_export = command.startswith("export ")
        script = f"{command}\nenv -0" if is_export else command
        words = ("bash", "-euo", "pipefail", "-c", script)
        try:
            done = subprocess.run(
                as_unprivileged(*words) if self.is_database_user else words,
                cwd=self.folder,
                env=self.variables,
                input=f"{answer}\n" if answer else "",
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_COMMAND_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise GuideFault(f"takes longer than {_COMMAND_SECONDS} s:\n{error.output}") from error
        if done.returncode != 0:
            raise GuideFault(f"ended with {done.returncode}:\n{done.stdout}")
        if is_export:
            self.variables = dict(pair.split("=", 1) for pair in done.stdout.split("\0") if pair)
        return done.stdout


class Installation:
    """A Tacho in a clone of the repository. Its settings are in the `.env` of the clone.

    Args:
        scratch: an empty folder.
    """

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.clone = scratch / "tacho"
        self.data = self.clone / ".tacho"
        taken: list[int] = []
        for _ in range(4):
            taken.append(find_free_port(taken))
        port, worker, dispatcher, prometheus = taken
        self.url = public_url("127.0.0.1", port)
        self.worker_metrics = f"127.0.0.1:{worker}"
        self.dispatcher_metrics = f"127.0.0.1:{dispatcher}"
        self.prometheus = f"127.0.0.1:{prometheus}"
        self.token, self.metrics_token = make_token(), make_token()
        self._settings = {
            "TACHO_PORT": str(port),
            "TACHO_TOKEN": self.token,
            "TACHO_METRICS_TOKEN": self.metrics_token,
            "TACHO_WORKER_METRICS": self.worker_metrics,
            "TACHO_DISPATCHER_METRICS": self.dispatcher_metrics,
            # The addresses of the guide. The embedded servers have none that others reach.
            "TACHO_PUBLIC_DATABASE": "postgresql://db.example.org:5432/tacho?sslmode=verify-full",
            "TACHO_PUBLIC_REDIS": "rediss://db.example.org:6380/0",
            "TACHO_RUNTIME": "process",
            "TACHO_ALLOW_UNISOLATED": "true",
        }
        self._log = scratch / "tacho.log"
        self._tacho: subprocess.Popen[bytes] | None = None

    def clone_repository(self) -> None:
        """Clone the repository, with the builds of the frontend and of the load generator that
        exist already."""
        subprocess.run(["git", "clone", "-q", str(ROOT), str(self.clone)], check=True)
        built = Path("frontend/node_modules/.tacho-built")
        if (ROOT / built).exists():
            (self.clone / built).parent.mkdir()
            shutil.copy(ROOT / built, self.clone / built)
            shutil.copytree(ROOT / "frontend/dist", self.clone / "frontend/dist")
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacho/k6"
        cache.mkdir(parents=True, exist_ok=True)
        self.data.mkdir()
        (self.data / "k6").symlink_to(cache)
        self.set()

    def set(self, **settings: str) -> None:
        """Write settings to `.env`."""
        self._settings |= settings
        lines = [f"{name}={value}\n" for name, value in self._settings.items()]
        (self.clone / ".env").write_text("".join(lines))

    def move(self, folder: Path) -> None:
        """Delete the data folder, and use its copy."""
        shutil.rmtree(self.data)
        self.data = folder
        self.set(TACHO_DATA=str(folder))

    def open_shell(self) -> Shell:
        """Return a shell in the clone."""
        inherited = {
            name: value for name, value in os.environ.items() if not _OF_THE_CALLER.match(name)
        }
        return Shell(
            self.clone,
            {
                **inherited,
                "PATH": f"{self.clone}/.venv/bin:{os.environ['PATH']}",
                # Without the access tokens of the caller.
                "XDG_CONFIG_HOME": str(self.scratch / "config"),
                "TACHO_URL": self.url,
                "TACHO_TOKEN": self.token,
                "TACHO_METRICS_TOKEN": self.metrics_token,
            },
        )

    def start(self, command: str, ready: str) -> None:
        """Start Tacho with a command that stays in the foreground.

        If Tacho runs already, the command has to end it.

        Args:
            ready: what the command prints when Tacho is ready.

        Raises:
            GuideFault: Tacho is not ready in time, or the earlier one ended with a fault.
        """
        earlier = self._tacho
        self._log.unlink(missing_ok=True)
        with self._log.open("wb") as log:
            self._tacho = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self.clone,
                env=self.open_shell().variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C reaches all processes of a session.
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while ready not in self._log.read_text(errors="replace"):
            if self._tacho.poll() is not None or time.monotonic() > deadline:
                raise GuideFault(f"Tacho is not ready:\n{self.read_logs()}")
            time.sleep(0.1)
        if earlier is not None:
            self._await_end(earlier, {0})

    def stop(self) -> None:
        """Stop Tacho as Ctrl-C does, if it runs."""
        tacho, self._tacho = self._tacho, None
        if tacho is not None:
            os.killpg(tacho.pid, signal.SIGINT)
            # make ends by the signal, after Tacho.
            self._await_end(tacho, {0, -signal.SIGINT})
            if "Stopped." not in self._log.read_text(errors="replace"):
                raise GuideFault(f"Tacho did not stop in order:\n{self.read_logs()}")

    def _await_end(self, tacho: "subprocess.Popen[bytes]", codes: Collection[int]) -> None:
        try:
            code = tacho.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired as error:
            os.killpg(tacho.pid, signal.SIGKILL)
            raise GuideFault(f"Tacho does not end within {_STOP_SECONDS} s.") from error
        if code not in codes:
            raise GuideFault(f"Tacho ended with {code}:\n{self.read_logs()}")

    def read_logs(self) -> str:
        """Return the output of Tacho, and the last lines of each log."""
        parts = [self._log.read_text(errors="replace")] if self._log.exists() else []
        for path in sorted((self.data / "logs").glob("*.log")):
            lines = path.read_text(errors="replace").splitlines()[-30:]
            parts.append("\n".join([f"--- {path.name}", *lines]))
        return "\n".join(parts)

    def query(self, statement: str) -> str:
        """Return the output of psql for a statement in the database of Tacho.

        Raises:
            GuideFault: the statement fails.
        """
        url = EmbeddedPostgres(Layout(self.data)).administrator_url.replace("+psycopg", "")
        done = subprocess.run(
            [str(find_postgres_program("psql")), "-v", "ON_ERROR_STOP=1", url, "-c", statement],
            capture_output=True,
            text=True,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise GuideFault(done.stderr)
        return done.stdout

    def ask(self, method: str, path: str, body: object = None, token: str = "") -> JsonObject:
        """Return the response of the REST API to an operator.

        Raises:
            GuideFault: the response is an error.
        """
        answer = httpx.request(
            method,
            f"{self.url}/api/v1{path}",
            json=body,
            headers={"Authorization": f"Bearer {token or self.token}"},
            timeout=30,
            trust_env=False,
        )
        if answer.is_error:
            raise GuideFault(f"{method} {path}: {answer.status_code} {answer.text}")
        document: JsonObject = answer.json() if answer.content else {}
        return document

    def list_runs(self) -> list[str]:
        """Return the slugs of all runs, the newest first."""
        return [run["slug"] for run in self.ask("GET", "/runs?limit=50")["items"]]
