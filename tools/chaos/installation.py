"""A separate, complete Tacho: `tacho up` on a free port with an empty data folder."""

import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import httpx
import psutil

from backend.core.config import ROOT, Settings
from backend.core.documents import JsonObject
from backend.core.queue import answers_dispatcher
from backend.core.units import RuntimeKind
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.layout import Layout
from backend.platform.network import find_free_port
from backend.platform.processes.parts import worker_command
from backend.platform.processes.programs import find_recorded, lives
from tools.benchmarks.waiting import end_process
from tools.chaos.clock import ShiftedClock
from tools.chaos.database import DatabaseProbe
from tools.chaos.disks import Disks

_READY = b"Tacho is ready"
_READY_TIMEOUT_S = 600.0
_STOP_TIMEOUT_S = 40.0
_POLL_S = 0.1


class NotReady(Exception):
    """`tacho up` ended, or was not ready in time; carries the end of its output."""


class ChaosInstallation:
    """As a context manager it runs from entry to exit, which removes its data folder."""

    def __init__(self, data: Path, runtime: RuntimeKind, disks: Disks | None = None) -> None:
        """Prepare.

        Args:
            disks: those that are mounted at its folders; None if none are.
        """
        self.runtime = runtime
        self.disks = disks
        self.clock = ShiftedClock(data)
        self.layout = Layout(data)
        self.port = find_free_port()
        self.webhook_port = find_free_port()
        self.host = f"chaos-{os.getpid()}"
        self.far_host = f"{self.host}-far"
        self.services = data / "services"
        self.database = DatabaseProbe(EmbeddedPostgres(self.layout).administrator_url)
        token = secrets.token_hex(16)
        self._environment = {
            **os.environ,
            **self.clock.environment,
            "TACHO_DATA": str(data),
            "TACHO_PORT": str(self.port),
            "TACHO_HOST": "127.0.0.1",
            "TACHO_TOKEN": token,
            "TACHO_BENCH_HOST": self.host,
            "TACHO_RUNTIME": runtime.value,
            "TACHO_SERVICES_DIR": str(self.services),
            "TACHO_READY_SECONDS": "45",
            # A confirmation run would measure after the end of a run, when nothing may be left.
            "TACHO_CONFIRMATION_PAIRS": "0",
            # Webhooks go to a receiver of this program.
            "TACHO_WEBHOOK_ALLOW": f"127.0.0.1:{self.webhook_port}",
            # Its disks are small.
            "TACHO_HOST_FREE_MB": "64",
            "TACHO_DATABASE_FREE_MB": "64",
            "DATABASE_URL": "",
            "REDIS_URL": "",
        }
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}/api/v1",
            timeout=httpx.Timeout(10.0),
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
        )
        self._output = data.with_suffix(".up.log")
        self._supervisor: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.clock.build()
        except FileNotFoundError as error:
            raise NotReady(str(error)) from error
        shutil.copytree(ROOT / "services", self.services)
        self._share_k6()
        try:
            self.start()
        except BaseException:
            # The suite was stopped meanwhile.
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.client.close()

    @property
    def supervisor(self) -> psutil.Process:
        """Return the process of `tacho up`."""
        assert self._supervisor is not None
        return psutil.Process(self._supervisor.pid)

    def start(self) -> float:
        """Start `tacho up`, wait until it is ready, and return the seconds. Raises NotReady."""
        begin = time.monotonic()
        with self._output.open("ab") as output:
            place = output.tell()
            self._supervisor = subprocess.Popen(
                [str(Path(sys.executable).with_name("tacho")), "up"],
                env=self._environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        while _READY not in self._read_output(place):
            if self.has_ended() or time.monotonic() - begin > _READY_TIMEOUT_S:
                self.stop()
                raise NotReady(self._read_output(place).decode(errors="replace")[-2000:])
            time.sleep(_POLL_S)
        return time.monotonic() - begin

    def stop(self) -> None:
        """End `tacho up` like Ctrl-C."""
        self.database.close()
        if self._supervisor is not None:
            end_process(self._supervisor, _STOP_TIMEOUT_S)
        self._supervisor = None

    def has_ended(self) -> bool:
        """Return whether `tacho up` has ended without being stopped."""
        return self._supervisor is not None and self._supervisor.poll() is not None

    def collect_killed_supervisor(self) -> None:
        """Reap a killed supervisor."""
        assert self._supervisor is not None
        self._supervisor.wait(_STOP_TIMEOUT_S)

    def find_part(self, name: str) -> psutil.Process | None:
        """Return a running part (`api`, `worker`, `dispatcher`, `broker`, `database`)."""
        return find_recorded(self.layout.run / f"{name}.json")

    def get(self, path: str, **query: str) -> Any:
        """Return the JSON document at a path. Raises httpx.HTTPError."""
        answer = self.client.get(path, params=query)
        answer.raise_for_status()
        return answer.json()

    def read_health(self) -> JsonObject:
        """Return the health document, also if a part is down; empty if the API does not answer."""
        try:
            document: JsonObject = self.client.get("/health", timeout=3.0).json()
        except (httpx.HTTPError, ValueError):
            return {}
        return document

    def is_whole(self) -> bool:
        """Return whether API, database, broker, worker and dispatcher answer."""
        return (
            self.read_health().get("status") == "ok"
            and self.is_online(self.host)
            and self.answers_dispatcher()
        )

    def answers_dispatcher(self) -> bool:
        """Return whether the dispatcher runs and waits for requests in Redis."""
        if self.find_part("dispatcher") is None:
            return False
        # Only the administrator of Redis may list its clients.
        lines = (self.layout.broker / "redis.conf").read_text(encoding="utf-8").splitlines()
        broker = dict(line.split(maxsplit=1) for line in lines)
        password, port = broker["requirepass"].strip(), broker["port"].strip()
        return answers_dispatcher(f"redis://:{password}@127.0.0.1:{port}/0", self.host)

    def is_online(self, host: str) -> bool:
        """Return whether the API reports that the worker of a bench host answers."""
        hosts = self.read_health().get("hosts", [])
        return any(own["name"] == host and own["status"] == "ok" for own in hosts)

    def find_database_shortage(self) -> str:
        """Return why the API accepts no run, if the disk of the database is too full for it."""
        return self.read_health().get("database_disk_shortage") or ""

    def create_run(self, cell: JsonObject, trials: int, host: str = "") -> JsonObject:
        """Queue a run, on the own bench host by default. Raises httpx.HTTPError."""
        body = {"cells": [cell], "trials": trials, "host": host or self.host}
        answer = self.client.post("/runs", json=body)
        answer.raise_for_status()
        document: JsonObject = answer.json()
        return document

    def create_webhook(self, url: str, event: str) -> str:
        """Subscribe a URL to an event, and return the secret. Raises httpx.HTTPError."""
        answer = self.client.post("/webhooks", json={"url": url, "events": [event]})
        answer.raise_for_status()
        return str(answer.json()["secret"])

    def read_redis_url(self) -> str:
        """Return the URL of the broker, which changes with each start of Tacho."""
        return self.read_part_environment()["REDIS_URL"]

    def read_part_environment(self) -> dict[str, str]:
        """Return the environment of the parts, with users who reach all data.

        Raises NotReady if neither dispatcher nor API runs.
        """
        owner = {"DATABASE_URL": EmbeddedPostgres(self.layout).url}
        # The user of the worker in Redis reaches only its own queue.
        for name in ("dispatcher", "api"):
            with suppress(psutil.Error):
                part = self.find_part(name)
                if part is not None:
                    return part.environ() | owner
        raise NotReady("neither dispatcher nor API runs")

    def start_worker(
        self, host: str, log: Path, changed: Mapping[str, str] = MappingProxyType({})
    ) -> "subprocess.Popen[bytes]":
        """Start a worker of a bench host, with other settings than those of the parts."""
        with log.open("ab") as output:
            return subprocess.Popen(
                worker_command(Settings(bench_host=host)),
                env={**os.environ, **self.read_part_environment(), **changed},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def list_leftovers(self) -> list[str]:
        """Return processes of this installation that still run after it was stopped."""
        data = str(self.layout.data)
        found = []
        for process in psutil.process_iter(["cmdline", "environ"]):
            words = " ".join(process.info["cmdline"] or ())
            own = (process.info["environ"] or {}).get("TACHO_DATA") == data
            if process.pid != os.getpid() and lives(process) and (own or data in words):
                found.append(f"process {process.pid} {words[:120]}")
        return found

    def _read_output(self, place: int) -> bytes:
        with self._output.open("rb") as output:
            output.seek(place)
            return re.sub(rb"\x1b\[[0-9;]*m", b"", output.read())

    def _share_k6(self) -> None:
        """Use the load generator that other installations of this user have built."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        built = cache / "tacho" / "k6"
        built.mkdir(parents=True, exist_ok=True)
        (self.layout.data / "k6").symlink_to(built)
