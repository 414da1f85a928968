"""Sends the load of a trial from load hosts, as the host of the service sees it."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import TracebackType
from typing import Self, TypeVar

import redis

from backend.core.errors import LoadFailed, LoadGeneratorDied, LoadHostLost
from backend.core.numbers import agree, join_words
from worker.loadgen.command import explain_exit
from worker.loadgen.merge import LineMerger
from worker.loadgen.parse import (
    EndLine,
    LoadLine,
    NetworkLine,
    SecondLine,
    StartLine,
    parse_line,
)
from worker.remote.channels import ServiceChannel
from worker.remote.messages import (
    Accepted,
    Ended,
    Failed,
    Line,
    LoadOrder,
    Measured,
    Ready,
    Report,
    Signal,
    Started,
)
from worker.runtime.exit import Exit

_log = logging.getLogger(__name__)

_POLL_MS = 500
_RENEW_SECONDS = 2.0
# A load host that reports nothing for this long is lost. It reports once a second.
SILENCE_SECONDS = 10.0
# A worker that is idle takes an order at once.
_ACCEPT_SECONDS = 30.0
_STEP_SECONDS = 90.0
_SHOWN_CHARACTERS = 600

Result = TypeVar("Result")
Kind = TypeVar("Kind", Accepted, Measured, Ready)


@dataclass(frozen=True)
class JoinedHost:
    """A load host that has accepted its part of a load, and the network to it."""

    name: str
    host_digest: str
    cpus: Sequence[int]
    network: NetworkLine


class RemoteLoad:
    """The load of a trial on its load hosts. Use it as a context manager, which ends the load."""

    def __init__(
        self,
        channel: ServiceChannel,
        load_hosts: Sequence[str],
        order: LoadOrder,
        request: Callable[[], None],
        check: Callable[[], None],
    ) -> None:
        """Prepare; nothing is sent before `with`.

        Args:
            channel: the streams of these load hosts, in this order.
            request: has the dispatcher request their parts from the load hosts. May raise
                `redis.RedisError`.
            check: called twice a second during every wait; raises if the trial must stop.
        """
        self._names = tuple(load_hosts)
        self._order = order
        self._request = request
        self._check = check
        self._channel = channel
        self._heard = dict.fromkeys(range(len(self._names)), 0.0)
        self._renewed = 0.0
        self._stderr: dict[int, str] = {}
        self._started_ns = 0
        self._cpu_seconds: defaultdict[int, float] = defaultdict(float)

    def __enter__(self) -> Self:
        self._call(lambda: self._channel.open(self._order))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._channel.close()
        except redis.RedisError as failure:
            _log.warning("the streams of a load expire by themselves: %s", failure)

    @property
    def stderr(self) -> str:
        """Return the last lines that the load generators wrote to stderr, by load host."""
        shown = [(self._names[index], text.strip()) for index, text in self._stderr.items()]
        return "".join(f"{name}:\n{text}\n" for name, text in sorted(shown) if text)

    @property
    def cpu_seconds(self) -> Mapping[int, float]:
        """Return the CPU time of all load generators by second of the load."""
        return self._cpu_seconds

    def join(self) -> Sequence[JoinedHost]:
        """Request the load, and measure the network to one load host after the other.

        Raises LoadHostLost.
        """
        self._call(self._request)
        accepted = self._await(Accepted, range(len(self._names)), _ACCEPT_SECONDS)
        joined = []
        for index, name in enumerate(self._names):
            self._call(lambda index=index: self._channel.send(Signal.MEASURE, [index]))  # type: ignore[misc]
            measured = self._await(Measured, [index], _STEP_SECONDS)[index]
            network = parse_line(measured.line)
            if not isinstance(network, NetworkLine):
                raise LoadHostLost(f"The load host {name} did not measure the network.")
            own = accepted[index]
            joined.append(JoinedHost(name, own.host_digest, own.cpus, network))
        return joined

    def start(self) -> None:
        """Prepare k6 on all load hosts, and start all of them with one signal."""
        everyone = range(len(self._names))
        self._call(lambda: self._channel.send(Signal.PREPARE, everyone))
        self._await(Ready, everyone, _STEP_SECONDS)
        self._started_ns = time.monotonic_ns()
        self._call(lambda: self._channel.send(Signal.START, everyone))

    def finish(self) -> None:
        """Finish the load: send no more requests, and wait for the answers to those under way."""
        self._call(lambda: self._channel.send(Signal.FINISH, range(len(self._names))))

    def lines(self) -> Iterator[LoadLine]:
        """Yield the lines of the whole load until every load generator has ended.

        The start line has the time of this host's clock.

        Raises:
            LoadHostLost: a load host was silent for too long, or gave up.
            LoadGeneratorDied, LoadFailed: a load generator ended before the load was complete.
        """
        merger = LineMerger(len(self._names))
        starts: dict[int, Started] = {}
        ended: set[int] = set()
        while len(ended) < len(self._names):
            for index, report in self._read():
                if isinstance(report, Started):
                    starts[index] = report
                    if len(starts) == len(self._names):
                        yield self._begin(list(starts.values()))
                elif isinstance(report, Line):
                    line = parse_line(report.text)
                    if isinstance(line, SecondLine):
                        self._cpu_seconds[line.second] += report.cpu_seconds
                    yield from _merge(merger, index, line)
                elif isinstance(report, Ended):
                    self._take_end(index, report)
                    ended.add(index)

    def _begin(self, starts: Sequence[Started]) -> StartLine:
        """Return the start of the load on this host's clocks.

        The load hosts report times relative to the arrival of the signal, so their clocks may
        differ from this host's. The way of the signal is not counted.
        """
        began_ns = self._started_ns + round(fmean(start.offset_ns for start in starts))
        wall_ns = time.time_ns() - (time.monotonic_ns() - began_ns)
        return StartLine(wall_ns=wall_ns, seconds=min(start.seconds for start in starts))

    def _take_end(self, index: int, ended: Ended) -> None:
        self._stderr[index] = ended.stderr
        end = Exit(ended.code, ended.signal_number)
        if end.is_success:
            return
        kind = LoadGeneratorDied if end.is_killed else LoadFailed
        tail = ended.stderr.strip()[-_SHOWN_CHARACTERS:]
        raise kind(
            f"The load generator on the load host {self._names[index]} {explain_exit(end)} before "
            f"the load was complete.{f' Its last lines:{chr(10)}{tail}' if tail else ''}"
        )

    def _await(
        self, kind: type[Kind], indexes: Sequence[int], timeout_s: float
    ) -> Mapping[int, Kind]:
        """Return the reports of this kind from load hosts by index."""
        found: dict[int, Kind] = {}
        deadline = time.monotonic() + timeout_s
        self._heard = dict.fromkeys(self._heard, deadline)
        while len(found) < len(indexes):
            for index, report in self._read():
                if isinstance(report, kind):
                    found[index] = report
                elif isinstance(report, Ended):
                    self._take_end(index, report)
            missing = [self._names[index] for index in indexes if index not in found]
            if missing and time.monotonic() > deadline:
                raise LoadHostLost(
                    f"{_name(missing)} did not answer within {timeout_s:.0f} s. Check that the "
                    "worker there runs and measures no trial of its own, and that the dispatcher "
                    "runs."
                )
        self._heard = dict.fromkeys(self._heard, time.monotonic())
        return found

    def _read(self) -> Sequence[tuple[int, Report]]:
        """Return new reports; raise LoadHostLost for a load host that gave up or is silent."""
        self._check()
        now = time.monotonic()
        if now - self._renewed > _RENEW_SECONDS:
            self._call(self._channel.renew)
            self._renewed = now
        reports = self._call(lambda: self._channel.read(_POLL_MS)) or []
        now = time.monotonic()
        for index, report in reports:
            self._heard[index] = max(now, self._heard[index])
            if isinstance(report, Failed):
                raise LoadHostLost(report.detail)
        silent = [self._names[i] for i, at in self._heard.items() if now - at > SILENCE_SECONDS]
        if silent:
            raise LoadHostLost(
                f"{_name(silent)} stopped answering under load: nothing arrived for "
                f"{SILENCE_SECONDS:.0f} s. Check the worker there, and the network to Redis."
            )
        return reports

    def _call(self, call: Callable[[], Result]) -> Result | None:
        """Return the result of a call to Redis, or None if it does not answer.

        An outage is noticed as silence of the load hosts.
        """
        try:
            return call()
        except redis.RedisError as error:
            _log.warning("Redis does not answer: %s", error)
            time.sleep(_POLL_MS / 1e3)
            return None


def _merge(merger: LineMerger, index: int, line: LoadLine) -> Iterator[LoadLine]:
    merged: SecondLine | EndLine | None = None
    if isinstance(line, SecondLine):
        merged = merger.add_second(index, line)
    elif isinstance(line, EndLine):
        merged = merger.add_end(index, line)
    if merged is not None:
        yield merged


def _name(names: Sequence[str]) -> str:
    return f"The {agree(len(names), 'load host')} {join_words(names)}"
