"""Find the processes and containers of a trial, and signal only the process that was found."""

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
# `read` waits in `worker.runtime.process.spawn` before the program starts.
_GATE = "read -r _"
# The launcher of a sandbox (`worker.runtime.process.sandbox`).
_LAUNCHER = "bwrap"


@dataclass(frozen=True)
class Victim:
    """A process with its start time, because a later process may have the same id."""

    pid: int
    start_ticks: int
    command: str

    @classmethod
    def of(cls, pid: int) -> "Victim | None":
        """Return None if there is no such process."""
        stat = find_process_stat(pid)
        with suppress(psutil.NoSuchProcess):
            if stat is not None:
                return cls(pid, stat.start_ticks, " ".join(psutil.Process(pid).cmdline())[:80])
        return None

    def send(self, number: signal.Signals) -> bool:
        """Signal the process, and return False if it has already ended."""
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
    """Finds the programs of a trial: processes of this host, or containers."""

    def __init__(self, runtime: RuntimeKind, data: Path) -> None:
        self._data = data
        self.engine: EngineClient | None = connect() if runtime is RuntimeKind.DOCKER else None

    def close(self) -> None:
        """Close the connection to the engine."""
        if self.engine is not None:
            self.engine.close()

    def find(self, trial_id: str, is_wanted: Callable[[str], bool]) -> Victim | None:
        """Return the first program of a trial with one of the names; see `names`."""
        programs = self._containers if self.engine is not None else self._processes
        return next((victim for name, victim in programs(trial_id) if is_wanted(name)), None)

    def find_container(self, trial_id: str, is_wanted: Callable[[str], bool]) -> str | None:
        """Return the id of the first container of a trial with one of the names."""
        return next((own for name, own in self._list(trial_id) if is_wanted(name)), None)

    def list_remains(self, trial_ids: set[str]) -> list[str]:
        """Return processes, folders and containers of ended trials."""
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
        """Yield names and processes. The name of a service is that of its log, which is its
        standard output."""
        mark = f"{MARK}={trial_id}".encode()
        logs = self._data / "trials" / trial_id / "logs"
        for pid in psutil.pids():
            stat = find_process_stat(pid)
            if stat is None or stat.session != pid or mark not in _read(pid, "environ"):
                continue
            program = _find_program(pid)
            victim = None if program is None else Victim.of(program)
            if program is None or victim is None or _GATE in victim.command:
                continue
            with suppress(OSError):
                if Path(f"/proc/{program}/exe").resolve().name == "k6":
                    yield "k6", victim
                    continue
                output = Path(f"/proc/{pid}/fd/1").resolve()
                if output.parent == logs:
                    yield output.stem, victim

    def _containers(self, trial_id: str) -> Iterator[tuple[str, Victim]]:
        """Yield names and main processes. k6 runs in the holder next to the holder's own main
        process."""
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
        return [(item["Names"][0].removeprefix(prefix), item["Id"]) for item in found]


def _find_program(pid: int) -> int | None:
    """Return the program that a session leader runs: in a sandbox, the leader is its launcher.

    Returns None while the sandbox is being made: the child is the launcher too until it starts the
    program.
    """
    try:
        if Path(f"/proc/{pid}/exe").resolve().name != _LAUNCHER:
            return pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        if not children or Path(f"/proc/{children[0]}/exe").resolve().name == _LAUNCHER:
            return None
    except OSError:
        return None
    return int(children[0])


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
