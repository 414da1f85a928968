"""Find the processes and containers of a trial."""

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
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


def send(process: psutil.Process, number: signal.Signals) -> bool:
    """Signal a process, and return False if it has already ended.

    A later process with the same id gets no signal.
    """
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)
        return True
    return False


def find_process(pid: int) -> psutil.Process | None:
    """Return None if there is no such process."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid)
    return None


class TrialParts:
    """Finds the programs of a trial: processes of this host, or containers."""

    def __init__(self, runtime: RuntimeKind, data: Path) -> None:
        self._data = data
        self.engine: EngineClient | None = connect() if runtime is RuntimeKind.DOCKER else None

    def close(self) -> None:
        """Close the connection to the engine."""
        if self.engine is not None:
            self.engine.close()

    def find(self, trial_id: str, is_wanted: Callable[[str], bool]) -> psutil.Process | None:
        """Return the first program of a trial with one of the names."""
        programs = self._containers if self.engine is not None else self._processes
        return next((found for name, found in programs(trial_id) if is_wanted(name)), None)

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

    def _processes(self, trial_id: str) -> Iterator[tuple[str, psutil.Process]]:
        """Yield names and processes. The name of a service is that of its log, which is its
        standard output."""
        mark = f"{MARK}={trial_id}".encode()
        logs = self._data / "trials" / trial_id / "logs"
        for pid in psutil.pids():
            stat = find_process_stat(pid)
            if stat is None or stat.session != pid or mark not in _read(pid, "environ"):
                continue
            program = _find_program(pid)
            process = None if program is None else find_process(program)
            if process is None or _GATE in _read_command(process):
                continue
            with suppress(OSError):
                if Path(f"/proc/{program}/exe").resolve().name == "k6":
                    yield "k6", process
                    continue
                output = Path(f"/proc/{pid}/fd/1").resolve()
                if output.parent == logs:
                    yield output.stem, process

    def _containers(self, trial_id: str) -> Iterator[tuple[str, psutil.Process]]:
        """Yield names and main processes. k6 runs in the holder next to the holder's own main
        process."""
        assert self.engine is not None
        for name, container in self._list(trial_id):
            state = self.engine.inspect_container(container)["State"]
            main = int(state["Pid"])
            if name == HOLDER and main:
                for own in self.engine.top(container)["Processes"] or ():
                    process = find_process(int(own[1]))
                    if process is None or process.pid == main:
                        continue
                    if "/k6" in _read_command(process):
                        yield "k6", process
            process = find_process(main) if main else None
            if process is not None:
                yield name, process

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


def _read_command(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
