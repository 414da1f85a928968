"""Finds the processes and containers of one trial, and signals a process only if it is still it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from backend.core.units import RuntimeKind
from worker.runtime.docker.engine import LABEL_TRIAL, EngineClient, connect
from worker.runtime.process.ledger import MARK, find_process_stat

SERVICE = "service"
HOLDER = "holder"
# `read` waits at the gate of `worker.runtime.process.spawn`: that is not the program yet.
_GATE = "read -r _"


@dataclass(frozen=True)
class Victim:
    """A process, by what tells it from a later one with the same id."""

    pid: int
    start_ticks: int
    command: str

    @classmethod
    def of(cls, pid: int) -> "Victim | None":
        """None when there is no such process."""
        stat = find_process_stat(pid)
        with suppress(psutil.NoSuchProcess):
            if stat is not None:
                return cls(pid, stat.start_ticks, " ".join(psutil.Process(pid).cmdline())[:80])
        return None

    def send(self, number: signal.Signals) -> bool:
        """Signal the process; False when it has ended meanwhile."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return False
        try:
            stat = find_process_stat(self.pid)
            if stat is None or stat.start_ticks != self.start_ticks:
                return False
            signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            return False
        finally:
            os.close(handle)
        return True


class TrialParts:
    """Where the programs of a trial run: as processes of this host, or in containers."""

    def __init__(self, runtime: RuntimeKind, data: Path) -> None:
        self._data = data
        self.engine: EngineClient | None = connect() if runtime is RuntimeKind.DOCKER else None

    def close(self) -> None:
        """Close the connection to the engine."""
        if self.engine is not None:
            self.engine.close()

    def find(self, trial_id: str, is_wanted: Callable[[str], bool]) -> Victim | None:
        """The first program of a trial whose name is wanted; see `names`."""
        programs = self._containers if self.engine is not None else self._processes
        return next((victim for name, victim in programs(trial_id) if is_wanted(name)), None)

    def find_container(self, trial_id: str, is_wanted: Callable[[str], bool]) -> str | None:
        """The id of the first container of a trial whose name is wanted."""
        return next((own for name, own in self._list(trial_id) if is_wanted(name)), None)

    def list_remains(self, trial_ids: set[str]) -> list[str]:
        """Processes, folders and containers of trials that have ended."""
        found = [
            f"process {process.pid} {' '.join(process.info['cmdline'] or ())[:100]}"
            for process in psutil.process_iter(["cmdline", "environ"])
            if (process.info["environ"] or {}).get(MARK) in trial_ids
        ]
        folders = (self._data / "trials" / trial_id for trial_id in sorted(trial_ids))
        found += [f"folder {folder}" for folder in folders if folder.exists()]
        if self.engine is not None:
            for trial_id in sorted(trial_ids):
                found += [f"container {name}" for name, _ in self._list(trial_id)]
        return found

    def _processes(self, trial_id: str) -> Iterator[tuple[str, Victim]]:
        """Name and process: a service's name is that of its log, which is its standard output."""
        mark = f"{MARK}={trial_id}".encode()
        logs = self._data / "trials" / trial_id / "logs"
        for pid in psutil.pids():
            stat = find_process_stat(pid)
            if stat is None or stat.session != pid or mark not in _read(pid, "environ"):
                continue
            victim = Victim.of(pid)
            if victim is None or _GATE in victim.command:
                continue
            with suppress(OSError):
                if Path(f"/proc/{pid}/exe").resolve().name == "k6":
                    yield "k6", victim
                    continue
                output = Path(f"/proc/{pid}/fd/1").resolve()
                if output.parent == logs:
                    yield output.stem, victim

    def _containers(self, trial_id: str) -> Iterator[tuple[str, Victim]]:
        """Name and main process; k6 runs in the holder next to its own main process."""
        assert self.engine is not None
        for name, container in self._list(trial_id):
            state = self.engine.inspect_container(container)["State"]
            main = int(state["Pid"])
            if name == HOLDER and main:
                for own in self.engine.top(container)["Processes"] or ():
                    victim = Victim.of(int(own[1]))
                    if victim is not None and victim.pid != main and "/k6" in victim.command:
                        yield "k6", victim
            victim = Victim.of(main) if main else None
            if victim is not None:
                yield name, victim

    def _list(self, trial_id: str) -> list[tuple[str, str]]:
        assert self.engine is not None
        found = self.engine.containers(all=True, filters={"label": f"{LABEL_TRIAL}={trial_id}"})
        prefix = f"/tacho-{trial_id}-"
        return [(one["Names"][0].removeprefix(prefix), one["Id"]) for one in found]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
