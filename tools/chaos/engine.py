"""A Docker engine of its own, which can be killed, stopped, and run out of disk space.

It shares nothing with the engine of the machine but the programs and the base images.
"""

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Self
from unittest.mock import patch

import psutil

from backend.core.config import get_settings
from tools.benchmarks.waiting import end_process
from tools.chaos.disks import Disk
from tools.chaos.installation import NotReady
from tools.chaos.victims import find_process
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.engine import EngineClient, connect, engine_errors
from worker.runtime.errors import RuntimeFailure, RuntimeUnavailable

_DISK_MB = 12_288
_READY_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 30.0
_COPY_TIMEOUT_S = 600.0
_POLL_S = 0.1
# A service manager restarts an engine after a pause.
_RESTART_S = 1.0
# Base images and services of the loads. If one is missing, Tacho builds it.
_BASES = ("node", "go")
_SERVICES = ("node", "go-nethttp", "mock-upstream")


class OwnEngine:
    """As a context manager it runs from entry to exit, and DOCKER_HOST is its address."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tacho-engine-"))
        self._socket = self._folder / "engine.sock"
        self._environment = {
            "DOCKER_HOST": f"unix://{self._socket}",
            # Its bridge leads nowhere.
            "TACHO_BUILD_NETWORK": "host",
        }
        # With `--bridge none`, it would remove the bridge of the machine's engine.
        self._bridge = f"tacho{os.getpid()}"
        self._process: subprocess.Popen[bytes] | None = None
        self._exits = ExitStack()
        self.disk = Disk(self._folder / "data", _DISK_MB)

    def __enter__(self) -> Self:
        with ExitStack() as exits:
            exits.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self.disk.mount()
            exits.callback(self.disk.unmount)
            given = connect()
            exits.callback(given.close)
            _ip("link", "add", self._bridge, "type", "bridge")
            exits.callback(_ip, "link", "delete", self._bridge)
            exits.enter_context(patch.dict(os.environ, self._environment))
            exits.callback(self._stop)
            self.start()
            self._copy_images(given)
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    def find_process(self) -> psutil.Process | None:
        """Return the process of the engine; None if it has ended."""
        return None if self._process is None else find_process(self._process.pid)

    def answers(self) -> bool:
        """Return whether the engine answers."""
        if not self._socket.exists():
            return False
        try:
            connect().close()
        except RuntimeUnavailable:
            return False
        return True

    def start(self) -> None:
        """Start the engine and wait until it answers. Raises NotReady."""
        with (self._folder / "engine.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *("dockerd", "--host", f"unix://{self._socket}"),
                    *("--data-root", str(self.disk.folder)),
                    *("--exec-root", str(self._folder / "exec")),
                    *("--pidfile", str(self._folder / "engine.pid")),
                    # It does not touch the networks of the machine.
                    *("--bridge", self._bridge),
                    *("--iptables=false", "--ip-forward=false", "--ip-masq=false"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + _READY_TIMEOUT_S
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise NotReady(f"The Docker engine did not start:\n{self._read_log()}")
            time.sleep(_POLL_S)

    def restart(self) -> None:
        """Reap the killed engine, and start it again like a service manager."""
        assert self._process is not None
        self._process.wait(_STOP_TIMEOUT_S)
        time.sleep(_RESTART_S)
        self._forget_containerd()
        self.start()

    def _forget_containerd(self) -> None:
        """Remove the pid file of a containerd that has ended with its engine.

        A new engine would wait for it as long as nobody has reaped it.
        """
        pid_file = self._folder / "exec" / "containerd" / "containerd.pid"
        with suppress(FileNotFoundError, psutil.NoSuchProcess):
            process = psutil.Process(int(pid_file.read_text()))
            if process.status() == psutil.STATUS_ZOMBIE:
                pid_file.unlink()

    def _stop(self) -> None:
        if self._process is not None:
            end_process(self._process, _STOP_TIMEOUT_S)

    def _copy_images(self, given: EngineClient) -> None:
        """Copy images of bases and of services, because building them takes minutes."""
        bases = Bases.load(get_settings().services_dir / "bases", "debian")
        own = connect()
        with closing(own), given.timeout_of(_COPY_TIMEOUT_S), own.timeout_of(_COPY_TIMEOUT_S):
            references = [bases.reference(name) for name in _BASES]
            references += [found for name in _SERVICES if (found := _find_newest(given, name))]
            for reference in references:
                with suppress(RuntimeFailure), engine_errors("Copying an image"):
                    own.load_image(given.get_image(reference))  # type: ignore[no-untyped-call]

    def _read_log(self) -> str:
        return (self._folder / "engine.log").read_text(errors="replace")[-2000:]


def _find_newest(engine: EngineClient, service: str) -> str | None:
    """Return the newest image of a service; None if there is none. Its tag depends on the files of
    the service, so another one would not be used."""
    images = engine.images(f"tacho/{service}")
    tagged = [image for image in images if image["RepoTags"]]
    newest = max(tagged, key=lambda image: int(image["Created"]), default=None)
    return None if newest is None else str(newest["RepoTags"][0])


def can_run_engine() -> bool:
    """Return whether this program can run a Docker engine."""
    return os.geteuid() == 0 and all(shutil.which(program) for program in ("dockerd", "ip"))


def has_docker() -> bool:
    """Return whether an engine of this machine answers."""
    try:
        connect().close()
    except RuntimeUnavailable:
        return False
    return True


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
