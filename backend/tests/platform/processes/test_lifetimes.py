"""Whatever ends `tacho up`, nothing of the installation is left 5 s later, and it starts again."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pytest

from backend.core.config import ROOT
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.platform.network import find_free_port
from backend.platform.processes.programs import find_recorded, lives
from backend.platform.servers import plain_url
from backend.platform.tools import get_tool, module_go
from backend.tests.waiting import wait_for
from worker.loadgen.build import SOURCE, ensure_k6

pytestmark = pytest.mark.acceptance

# A promise to users.
GONE_S = 5.0
START_S = 120.0
# As `tacho up` without its builds: the frontend is not needed, and the load generator is given.
_UP = """
from cli import up
up.build_frontend = lambda *_: None
up.run()
"""


@dataclass
class Installation:
    """An installation in a folder of its own."""

    data: Path
    port: int

    @property
    def layout(self) -> Layout:
        return Layout(self.data)

    @property
    def output(self) -> Path:
        return self.data.with_suffix(".log")

    @property
    def command(self) -> list[str]:
        return [sys.executable, str(self.data.with_suffix(".py"))]

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "TACHO_DATA": str(self.data),
            "TACHO_PORT": str(self.port),
            "TACHO_HOST": "127.0.0.1",
            "TACHO_RUNTIME": "process",
            "TACHO_BENCH_HOST": f"lifetimes-{self.port}",
            "TACHO_TOKEN": "",
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
        }

    def find_processes(self) -> list[psutil.Process]:
        """Return all processes whose environment names the data folder. Servers change theirs, so
        their arguments count too."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, psutil.NoSuchProcess):
                texts = [(folder / name).read_bytes() for name in ("environ", "cmdline")]
                if any(str(self.data).encode() in text for text in texts):
                    found.append(psutil.Process(int(folder.name)))
        return [process for process in found if lives(process)]

    def find_supervisor(self) -> psutil.Process:
        script = self.command[-1]
        (found,) = [
            process
            for process in self.find_processes()
            if process.cmdline()[:2] == [sys.executable, script]
        ]
        return found

    def connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        url = plain_url(EmbeddedPostgres(self.layout).administrator_url)
        return psycopg.connect(url, autocommit=True)

    def is_ready(self) -> bool:
        return "Tacho is ready" in self.output.read_text(errors="replace")


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(tmp_path_factory.mktemp("lifetimes") / "data", find_free_port())
    installation.layout.make()
    k6 = ensure_k6(ROOT / ".tacho/cache", get_tool(module_go(SOURCE)).path)
    (installation.data / "k6").symlink_to(k6.parent.parent)
    Path(installation.command[-1]).write_text(_UP)
    yield installation
    for process in installation.find_processes():
        process.kill()


def start_alone(installation: Installation) -> Callable[[], None]:
    """Start it; return what kills it."""
    with installation.output.open("wb") as output:
        started = subprocess.Popen(
            installation.command,
            env=installation.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    def kill() -> None:
        started.kill()
        started.wait()

    return kill


def start_with_make(installation: Installation) -> Callable[[], None]:
    """Start it as `make up` does; return what kills make."""
    makefile = installation.data.with_suffix(".mk")
    makefile.write_text(f"up:\n\t@exec {' '.join(installation.command)}\n")
    with installation.output.open("wb") as output:
        make = subprocess.Popen(
            ["make", "--file", str(makefile), "up"],
            env=installation.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )

    def kill() -> None:
        make.kill()
        make.wait()

    return kill


def start_in_terminal(installation: Installation) -> Callable[[], None]:
    """Start it in a terminal; return what closes the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        with installation.output.open("wb") as output:
            os.dup2(output.fileno(), 1)
        os.execvpe(installation.command[0], installation.command, installation.environment)  # noqa: S606

    def close() -> None:
        os.close(terminal)
        os.waitpid(pid, 0)

    return close


def start_and_kill_its_group(installation: Installation) -> Callable[[], None]:
    """Start it as a job of a shell; return what kills the whole job."""
    kill_leader = start_alone(installation)

    def kill() -> None:
        os.killpg(os.getpgid(installation.find_supervisor().pid), signal.SIGKILL)
        kill_leader()

    return kill


@pytest.mark.parametrize(
    "start", [start_alone, start_with_make, start_in_terminal, start_and_kill_its_group]
)
def test_nothing_is_left_5_s_after_the_end_of_its_starter(
    installation: Installation, start: Callable[[Installation], Callable[[], None]]
) -> None:
    installation.output.write_text("")
    end = start(installation)
    wait_for(installation.is_ready, START_S)
    with installation.connect() as database:
        row = database.execute("SELECT count(*) FROM framework").fetchone()
        assert row is not None
        database.execute("CREATE TABLE IF NOT EXISTS kept AS SELECT 'before the kill' AS text")
        assert database.execute("SELECT text FROM kept").fetchone() == ("before the kill",)
    found = installation.find_processes()
    names = " ".join(part for process in found for part in process.cmdline())
    for part in (
        "backend.serve",
        "worker.bench_host.app",
        "worker.dispatcher.app",
        "postgres",
        "valkey-server",
    ):
        assert part in names

    killed_at = time.monotonic()
    end()

    def are_gone() -> bool:
        return not any(map(lives, found)) and not installation.find_processes()

    wait_for(are_gone, GONE_S - (time.monotonic() - killed_at))


def test_a_killed_part_is_restarted_and_ends_with_the_rest(installation: Installation) -> None:
    installation.output.write_text("")
    end = start_alone(installation)
    wait_for(installation.is_ready, START_S)
    record = installation.layout.run / "worker.json"
    worker = find_recorded(record)
    assert worker is not None

    worker.kill()

    def is_restarted() -> bool:
        again = find_recorded(record)
        return again is not None and again.pid != worker.pid

    wait_for(is_restarted, 30)
    end()
    wait_for(lambda: not installation.find_processes(), GONE_S)
