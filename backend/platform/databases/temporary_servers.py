"""PostgreSQL and Redis servers for tests, which end with the process that owns them.

A separate process starts and stops them, so that they also end when their owner is killed:
`python -m backend.platform.databases.temporary_servers FOLDER OWNER_PID REDIS_SERVERS`.
"""

import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.processes.programs import running

_POLL_S = 0.03


@dataclass(frozen=True)
class Servers:
    """The URL of a PostgreSQL server's empty database, and of each Redis server."""

    postgres_url: str
    redis_urls: list[str]


class TemporaryServers:
    """The servers with their files in `folder`. Any process may wait for the servers and use
    them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._addresses = folder / "addresses.json"
        self._log = folder / "keeper.log"

    @property
    def layout(self) -> Layout:
        """The folders of PostgreSQL and of the first Redis server."""
        return Layout(self.folder / "0")

    def start(self, owner: int, redis_servers: int) -> subprocess.Popen[bytes]:
        """Start the keeper process and return immediately. It stops the servers when `owner`
        ends."""
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", __name__, str(self.folder), str(owner), str(redis_servers)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C in a terminal must reach the owner only.
                start_new_session=True,
            )

    def wait(self, timeout_s: float = 600.0) -> Servers:
        """Return the addresses as soon as all servers accept connections.

        Raises:
            PlatformError: a server failed to start, or took longer than `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s
        while not self._addresses.exists():
            log = self._log.read_text(errors="replace")
            if "Traceback" in log or time.monotonic() > deadline:
                raise PlatformError(f"The servers for tests did not start.\n{log}")
            time.sleep(_POLL_S)
        return Servers(**json.loads(self._addresses.read_text()))

    def keep(self, owner: int, redis_servers: int) -> None:
        """Run the servers until `owner` ends or SIGTERM arrives, then remove the folder."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        try:
            with ExitStack() as stack, suppress(psutil.NoSuchProcess):
                process = psutil.Process(owner)
                servers = self._start_all(stack, redis_servers)
                unfinished = self._addresses.with_suffix(".new")
                unfinished.write_text(json.dumps(asdict(servers)))
                unfinished.replace(self._addresses)
                process.wait()
        except PlatformError:
            # The folder stays, because its logs contain the reason.
            raise
        except SystemExit:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_all(self, stack: ExitStack, redis_servers: int) -> Servers:
        layouts = [Layout(self.folder / str(number)) for number in range(redis_servers)]
        for layout in layouts:
            layout.make()
        postgres = EmbeddedPostgres(self.layout, durable=False)
        postgres.prepare()
        stack.callback(shutil.rmtree, self.layout.socket_folder(), ignore_errors=True)
        redis_urls = []
        for layout in layouts:
            broker = EmbeddedRedis.choose(layout)
            broker.prepare()
            stack.enter_context(running(broker.part(), layout))
            redis_urls.append(broker.url)
        stack.enter_context(running(postgres.part(), self.layout))
        postgres.create_database()
        return Servers(postgres.administrator_url, redis_urls)


if __name__ == "__main__":
    TemporaryServers(Path(sys.argv[1])).keep(int(sys.argv[2]), int(sys.argv[3]))
