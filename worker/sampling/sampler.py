"""Reads a trial's resources once a second while load runs, and turns readings into rows.

Readings are taken at the boundaries of the load's own seconds, so that a row of resources and
a row of requests cover the same second.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from backend.core.second import RESOURCE_NAMES, ResourceUse
from worker.resources.compilers import CompilerThreads
from worker.resources.counters import TOTALS, Counters, ResourceReading
from worker.runtime.base import Pod, PodRole
from worker.runtime.errors import RuntimeFailure
from worker.sampling.clock import Clock, ClockReader
from worker.sampling.host import HostCpu, read_host_cpu

_log = logging.getLogger(__name__)
_SECOND_NS = 1_000_000_000
# A busy host delays a reading by a few seconds at most. A longer delay means that the worker itself
# stood still.
_LONGEST_GAP_SECONDS = 10.0


@dataclass(frozen=True)
class ResourceSnapshot:
    """The resources of all roles and of the host at an instant."""

    roles: Mapping[PodRole, ResourceReading]
    host: HostCpu
    clock: Clock


@dataclass(frozen=True)
class ResourceSecond:
    """The resources of one second of the load, and the source of the service's counters.

    Attributes:
        compiling: the share of the second in which a JIT compiler of the service had work; None
            if it has none, or nobody watches it any more.
    """

    second: int
    resources: ResourceUse
    source: str
    compiling: float | None = None


# The service's counters that are stored under their own names.
_STORED = tuple(field.name for field in fields(Counters) if field.name in RESOURCE_NAMES)
_TOTALS = frozenset(TOTALS)


def rows_between(
    before: ResourceSnapshot,
    after: ResourceSnapshot,
    seconds: range,
    own: ResourceSnapshot | None = None,
    compiling: float | None = None,
) -> list[ResourceSecond]:
    """Return the rows of the seconds between two snapshots, normally a single row.

    If readings in between were missed, the consumption is spread evenly over the seconds.

    Args:
        own: taken at the end of the load's own turn; what other programs use after it is not
            counted. None without turns.
        compiling: see `ResourceSecond`.
    """
    count = len(seconds)
    end = own or after

    def grown(role: PodRole, name: str, last: ResourceSnapshot = after) -> float:
        first = before.roles[role]
        return float(getattr(last.roles[role], name) - getattr(first, name)) / count

    service = after.roles[PodRole.SERVICE]
    stored: dict[str, Any] = {
        name: grown(PodRole.SERVICE, name) if name in _TOTALS else getattr(service, name)
        for name in _STORED
    }
    cpu = {role: grown(role, "cpu_seconds") for role in PodRole}
    busy = (end.host.busy_seconds - before.host.busy_seconds) / count
    busy -= sum(grown(role, "cpu_seconds", end) for role in PodRole)
    return [
        ResourceSecond(
            second,
            ResourceUse(
                **stored,
                cpu_service_seconds=cpu[PodRole.SERVICE],
                cpu_backing_seconds=cpu[PodRole.BACKING],
                cpu_load_seconds=cpu[PodRole.LOAD],
                cpu_other_seconds=max(0.0, busy),
                cpu_steal_seconds=(end.host.steal_seconds - before.host.steal_seconds) / count,
                cpu_mhz=after.clock.mhz,
                # Events cannot be divided, so they count in the last of the seconds.
                thermal_throttles=_events(before, after, happened=second == seconds[-1]),
            ),
            service.source,
            compiling,
        )
        for second in seconds
    ]


def _events(before: ResourceSnapshot, after: ResourceSnapshot, *, happened: bool) -> int | None:
    first, last = before.clock.thermal_throttles, after.clock.thermal_throttles
    if first is None or last is None:
        return None
    return last - first if happened else 0


class ResourceSampler:
    """A thread that takes a snapshot each second, and makes a row from two consecutive snapshots.

    `on_row` is called from that thread with each row, right after its second has passed. A second
    of a load that takes turns with others is one turn of each, of a second.
    """

    def __init__(
        self,
        pod: Pod,
        on_row: Callable[[ResourceSecond], None],
        longest_gap_s: float = _LONGEST_GAP_SECONDS,
        turns: int = 1,
        compilers: CompilerThreads | None = None,
    ) -> None:
        self._pod = pod
        self._compilers = compilers
        self._turns = turns
        self._on_row = on_row
        self._longest_gap_s = longest_gap_s
        self._cpus = pod.cpus.all
        self._clock = ClockReader(pod.cpus.service)
        self._rows: list[ResourceSecond] = []
        self._seconds = 0
        self._last_roles: dict[PodRole, ResourceReading] = {}
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._late_seconds: list[int] = []
        self._reading: PodRole | None = None

    def start_at(self, begin_ns: int, seconds: int) -> None:
        """Sample `seconds` at most from `begin_ns` (monotonic time); a late start reads at once."""
        self._seconds = seconds
        self._thread = threading.Thread(
            target=self._run, args=(begin_ns,), name="resource-sampler", daemon=True
        )
        self._thread.start()

    def end_after(self, seconds: int) -> None:
        """Sample at most this many seconds; there may be more already."""
        # The thread adds its row before it reads the limit, so either this check or the thread's
        # own ends it.
        self._seconds = seconds
        if len(self._rows) >= seconds:
            self.stop()

    @property
    def rows(self) -> Sequence[ResourceSecond]:
        """Return the rows so far, in order."""
        return self._rows

    def stop(self) -> None:
        """End early and keep the rows so far."""
        self._stopped.set()

    @property
    def late_seconds(self) -> Sequence[int]:
        """Return the seconds without a reading at their end. Their CPU time is a mean."""
        return self._late_seconds

    def get_rows(self, timeout_s: float) -> list[ResourceSecond]:
        """Return all rows after waiting up to `timeout_s` for the last.

        Raises `RuntimeFailure` if a reading does not end or the worker stood still between two, and
        any other error that ended the thread.
        """
        if self._thread is not None:
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                raise RuntimeFailure(self._describe_delay(timeout_s))
        if self._error is not None:
            raise self._error
        return list(self._rows)

    def _describe_delay(self, timeout_s: float) -> str:
        read = len(self._rows)
        where = f"The reading of {self._reading}" if self._reading else "The next reading"
        return (
            f"CPU and memory were read for {read} of {self._seconds} s of the load. {where} did "
            f"not end within {timeout_s:g} s after it. The host or its container engine is "
            "overloaded, or was suspended."
        )

    def _run(self, begin_ns: int) -> None:
        try:
            self._sample(begin_ns)
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self._error = error

    def _sample(self, begin_ns: int) -> None:
        if self._sleep_until(begin_ns):
            return
        before, done = self._snapshot(), 0
        if self._compilers is not None:
            self._compilers.measure()
        read_ns = time.monotonic_ns()
        length_ns = self._turns * _SECOND_NS
        while done < self._seconds:
            own = self._read_own_turn(begin_ns + done * length_ns)
            if self._sleep_until(begin_ns + (done + 1) * length_ns):
                return
            after = self._snapshot()
            # Read the clock after the snapshot, which includes the consumption while it is taken.
            last_ns, read_ns = read_ns, time.monotonic_ns()
            self._check_gap((read_ns - last_ns) / _SECOND_NS)
            passed = (read_ns - begin_ns) // length_ns
            reached = max(done + 1, min(self._seconds, passed))
            if reached > done + 1:
                self._note_delay(range(done, reached))
            compiling = None if self._compilers is None else self._compilers.measure()
            for row in rows_between(before, after, range(done, reached), own, compiling):
                self._rows.append(row)
                self._on_row(row)
            before, done = after, reached

    def _read_own_turn(self, begin_ns: int) -> ResourceSnapshot | None:
        """Return a snapshot at the end of a turn; None without turns, or if it is too late."""
        if self._turns == 1 or self._sleep_until(begin_ns + _SECOND_NS):
            return None
        is_late = time.monotonic_ns() >= begin_ns + self._turns * _SECOND_NS
        return None if is_late else self._snapshot()

    def _check_gap(self, gap_s: float) -> None:
        """Raise RuntimeFailure for a long gap, whose CPU time may include time after the load."""
        if gap_s > self._longest_gap_s:
            raise RuntimeFailure(
                f"CPU and memory were not read for {gap_s:.0f} s during the load. The worker stood "
                "still: the host was suspended or overloaded."
            )

    def _note_delay(self, seconds: range) -> None:
        self._late_seconds.extend(seconds)
        _log.warning(
            "resource readings were late: CPU time of the seconds %d to %d is their mean",
            seconds[0],
            seconds[-1],
        )

    def _sleep_until(self, due_ns: int) -> bool:
        """Sleep until `due_ns`; return whether the sampler was stopped meanwhile."""
        remaining = (due_ns - time.monotonic_ns()) / _SECOND_NS
        return self._stopped.wait(max(0.0, remaining))

    def _snapshot(self) -> ResourceSnapshot:
        for role in PodRole:
            self._reading = role
            self._last_roles[role] = self._read(role)
        self._reading = None
        return ResourceSnapshot(
            dict(self._last_roles), read_host_cpu(self._cpus), self._clock.read()
        )

    def _read(self, role: PodRole) -> ResourceReading:
        """Return a role's reading, or its last reading: a failed reading must not end a trial."""
        try:
            return self._pod.read(role)
        except RuntimeFailure as failure:
            last = self._last_roles.get(role)
            if last is None:
                return _EMPTY
            _log.warning("resource reading missed", extra={"role": role, "reason": str(failure)})
            return last


_EMPTY = ResourceReading()
