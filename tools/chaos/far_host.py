"""A second bench host, which reaches the database over a network that can be cut."""

import subprocess
import time
from pathlib import Path
from typing import Self

from sqlalchemy import make_url

from tools.benchmarks.socket_forwarder import SocketForwarder
from tools.benchmarks.waiting import end_process
from tools.chaos.installation import ChaosInstallation, NotReady

# As long as `tacho up` waits for its worker.
_READY_TIMEOUT_S = 180.0
_STOP_TIMEOUT_S = 20.0
_POLL_S = 0.1


class CutOffHost:
    """As a context manager its worker runs from entry to exit. `network` can be cut."""

    def __init__(self, installation: ChaosInstallation) -> None:
        self._installation = installation
        self._url = make_url(installation.read_part_environment()["DATABASE_URL"])
        self.name = installation.far_host
        self.network = SocketForwarder(Path(str(self._url.query["host"])) / ".s.PGSQL.5432")
        self._worker: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.network.__enter__()
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker is not None:
            end_process(self._worker, _STOP_TIMEOUT_S)
        self.network.__exit__()

    def _start(self) -> None:
        """Start the worker, and wait until the API lists the host."""
        far = self._url.set(host="127.0.0.1", port=self.network.port, query={})
        changed = {
            "DATABASE_URL": far.render_as_string(hide_password=False),
            "TACHO_BENCH_HOST": self.name,
        }
        log = self._installation.layout.logs / "far-worker.log"
        self._worker = self._installation.start_worker(self.name, log, changed)
        deadline = time.monotonic() + _READY_TIMEOUT_S
        while not self._installation.is_online(self.name):
            if self._worker.poll() is not None or time.monotonic() > deadline:
                raise NotReady("the worker of the far host did not start")
            time.sleep(_POLL_S)
