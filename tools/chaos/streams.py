"""Follow the events of a run with many reconnects, and check that results stay readable."""

import threading
import time
from collections.abc import Iterator
from typing import Self

import httpx

from tools.chaos.installation import ChaosInstallation

_PAUSE_S = 0.3
# The client disconnects by itself this often, so that resuming is also tested without a fault.
_HANG_UP_S = 2.0
_READ_TIMEOUT_S = 20.0
_LOOK_S = 0.5


class Follower:
    """A client of a run's event stream that resumes by Last-Event-ID. It stores ids in order of
    arrival."""

    def __init__(self, installation: ChaosInstallation, run_id: str, *, hangs_up: bool) -> None:
        self._client = installation.client
        self._path = f"/runs/{run_id}/events"
        self._hangs_up = hangs_up
        self._over = threading.Event()
        self.ids: list[str] = []
        self.has_ended = False
        self._thread = threading.Thread(target=self._run, name="chaos-follower", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.await_end(0)

    def await_end(self, timeout_s: float) -> bool:
        """Return whether the stream reported the end of the run in time."""
        self._thread.join(timeout_s)
        self._over.set()
        return self.has_ended

    def _run(self) -> None:
        while not self._over.is_set() and not self.has_ended:
            try:
                self._read_once()
            except httpx.HTTPError:
                self._over.wait(_PAUSE_S)

    def _read_once(self) -> None:
        headers = {"Last-Event-ID": self.ids[-1]} if self.ids else {}
        timeout = httpx.Timeout(5.0, read=_READ_TIMEOUT_S)
        begin = time.monotonic()
        with self._client.stream("GET", self._path, headers=headers, timeout=timeout) as answer:
            answer.raise_for_status()
            self._read_events(answer.iter_lines(), begin)

    def _read_events(self, lines: Iterator[str], begin_s: float) -> None:
        """An event is complete at its empty line. An incomplete event is sent again."""
        name = identifier = ""
        for line in lines:
            key, _, value = line.partition(": ")
            if key == "event":
                name = value
            elif key == "id":
                identifier = value
            elif not line:
                if identifier:
                    self.ids.append(identifier)
                identifier = ""
                self.has_ended = name == "end"
                hangs_up = self._hangs_up and time.monotonic() - begin_s > _HANG_UP_S
                if self.has_ended or hangs_up:
                    return
            if self._over.is_set():
                return


class Reader:
    """Reads the list of runs continuously, and records each failure with its time."""

    def __init__(self, installation: ChaosInstallation) -> None:
        self._client = installation.client
        self._over = threading.Event()
        self.failures: list[tuple[float, str]] = []
        self._thread = threading.Thread(target=self._run, name="chaos-reader", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def list_failures(self, begin_s: float) -> list[str]:
        """Return the failures since a time (monotonic seconds)."""
        return [text for moment, text in list(self.failures) if moment >= begin_s]

    def _run(self) -> None:
        while not self._over.wait(_LOOK_S):
            try:
                self._client.get("/runs", params={"limit": "5"}).raise_for_status()
            except httpx.HTTPError as error:
                self.failures.append((time.monotonic(), repr(error)[:200]))
