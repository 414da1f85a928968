"""Sends a part of a trial's load from this host, as the service's host orders it."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx
import redis
from pydantic import ValidationError

from backend.core.errors import TachoError
from backend.core.units import Isolation
from backend.platform.network import find_free_port
from worker.loadgen.command import (
    load_environment,
    network_command,
    segment_command,
    segment_environment,
)
from worker.loadgen.output import await_exit
from worker.loadgen.parse import StartLine, parse_line
from worker.remote.channels import LoadHostChannel
from worker.remote.messages import (
    Accepted,
    Beat,
    Ended,
    Failed,
    Line,
    LoadOrder,
    LoadPart,
    Measured,
    Ready,
    Report,
    Signal,
    Started,
)
from worker.runtime.base import CpuSets, Execution, Pod, PodRole, PodSpec
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.process import ProcessRuntime
from worker.runtime.process.sandbox import INSTALL_SANDBOX
from worker.sampling.instant import to_monotonic_ns

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

_POLL_MS = 500
_BEAT_SECONDS = 1.0
# Redis may be gone for this long; the service's host gives up at about the same time.
_OUTAGE_SECONDS = 10.0
_RETRY_SECONDS = 0.2
_PREPARE_SECONDS = 60.0
_STATUS_SECONDS = 0.02
_REST_SECONDS = 5.0
# k6's status while it waits to be resumed: ExecutionStatusPausedBeforeRun.
_PAUSED_BEFORE_RUN = 4


@dataclass(frozen=True)
class LoadHost:
    """The properties of this host that sending load needs.

    Attributes:
        cpus: all CPUs that Tacho may use; nothing else runs meanwhile.
        data: folder in which files of loads are stored.
        allows_unisolated: whether scripts of other hosts may run without a sandbox.
        is_outdated: whether the database has the schema of another version of Tacho.
    """

    name: str
    host_digest: str
    cpus: tuple[int, ...]
    memory_bytes: int
    k6: Path
    k6_sha256: str
    data: Path
    allows_unisolated: bool = False
    is_outdated: bool = False

    def open_runtime(self) -> ProcessRuntime:
        """Return the runtime of loads, without the leftovers of a worker that was killed.

        Raises:
            RuntimeUnavailable: it has no sandbox, and nobody allowed to send load without one.
        """
        runtime = ProcessRuntime(self.k6, self.data, {})
        # Another host sends the script, so it does not matter who uses the installation.
        if runtime.describe().isolation is Isolation.NONE and not self.allows_unisolated:
            raise _make_isolation_error(self.name)
        for trial_id, attempt in runtime.list_attempts():
            runtime.remove_attempt(trial_id, attempt)
        return runtime


class LoadAbandoned(TachoError):
    """The service's host no longer wants the load, or Redis is gone."""

    code = "load_abandoned"
    title = "The load was abandoned"


def send_load(
    host: LoadHost, part: LoadPart, client: redis.Redis, is_stopping: Callable[[], bool]
) -> None:
    """Send a part of a load, and report it; leave nothing running."""
    channel = LoadHostChannel(client, part.service_host, host.name, part.load_id)
    reporter = _Reporter(channel)
    try:
        order = reporter.read_order()
        if order is None:
            _log.info("the load of trial %s is no longer wanted", part.trial_id)
            return
        if host.is_outdated:
            raise _make_schema_error(host.name)
        if order.k6_sha256 != host.k6_sha256:
            raise _make_version_error(host.name)
        cpus = CpuSets(service=(), load=host.cpus, backing=())
        # A name of its own: the service may run on the same machine, and its pod removes all
        # processes of the trial.
        name = f"load-{part.segment_index}-{part.trial_id}"
        spec = PodSpec(str(part.run_id), name, cpus, attempt=part.attempt, uses_host_network=True)
        with host.open_runtime().open_pod(spec) as pod:
            _Sender(host, part, order, pod, reporter, is_stopping).run()
    except LoadAbandoned as abandoned:
        _log.warning("trial %s: %s", part.trial_id, abandoned.detail)
    except ValidationError as error:
        _log.warning("trial %s: the order is not valid: %s", part.trial_id, error)
        # The version of an outdated host does not know the order.
        make_error = _make_schema_error if host.is_outdated else _make_version_error
        reporter.try_send(Failed(detail=make_error(host.name).detail))
    except TachoError as failure:
        _log.warning("trial %s: %s", part.trial_id, failure.detail)
        reporter.try_send(Failed(detail=failure.detail))


def _make_version_error(name: str) -> TachoError:
    return TachoError(
        f"The load host {name} has another load generator than the host of the service. Install "
        "the same version of Tacho on both, and restart their workers."
    )


def _make_schema_error(name: str) -> TachoError:
    return TachoError(
        f"The load host {name} is outdated: the database has the schema of another version of "
        f"Tacho. Install the same version on all hosts, and restart the worker of {name}."
    )


def _make_isolation_error(name: str) -> RuntimeUnavailable:
    return RuntimeUnavailable(
        f"The load host {name} cannot isolate the load generator, so the script of a load could "
        "read its credentials.",
        f"{INSTALL_SANDBOX} on {name}, or name another load host. If you trust all hosts of the "
        f"installation, set TACHO_ALLOW_UNISOLATED=true on {name}. Then restart its worker.",
    )


class _Reporter:
    """Sends reports; it tolerates an outage of Redis of some seconds."""

    def __init__(self, channel: LoadHostChannel) -> None:
        self._channel = channel
        # Reports come from two threads and must keep their order.
        self._lock = threading.Lock()

    def send(self, report: Report) -> None:
        """Send a report; raise LoadAbandoned when Redis does not answer."""
        with self._lock:
            _persist(lambda: self._channel.report(report))

    def try_send(self, report: Report) -> None:
        """Send a report if Redis answers."""
        try:
            self._channel.report(report)
        except redis.RedisError as error:
            _log.warning("a report of a load is lost: %s", error)

    def read_order(self) -> LoadOrder | None:
        """Return the order; None if the service's host no longer wants the load."""
        return _persist(self._channel.read_order)

    def is_wanted(self) -> bool:
        """Return whether the service's host still wants the load."""
        return _persist(self._channel.is_open)

    def read(self) -> list[Signal]:
        """Return new signals; wait for a moment if there are none."""
        return _persist(lambda: self._channel.read(_POLL_MS))


def _persist(call: Callable[[], Result]) -> Result:
    """Return the result of a call to Redis, which is repeated during a short outage."""
    deadline = time.monotonic() + _OUTAGE_SECONDS
    while True:
        try:
            return call()
        except redis.RedisError as error:
            if time.monotonic() > deadline:
                raise LoadAbandoned(f"Redis does not answer: {error}.") from error
        time.sleep(_RETRY_SECONDS)


class _Sender:
    """Follows the signals of a load, one after the other."""

    def __init__(
        self,
        host: LoadHost,
        part: LoadPart,
        order: LoadOrder,
        pod: Pod,
        reporter: _Reporter,
        is_stopping: Callable[[], bool],
    ) -> None:
        self._host = host
        self._segment = part.segment
        self._order = order
        self._pod = pod
        self._reporter = reporter
        self._is_stopping = is_stopping
        self._scripts = pod.put_files(order.scripts)
        self._data = pod.put_data(order.data) if order.data else None
        self._execution: Execution | None = None
        self._rest = ""
        # Created before the load starts, which it would delay. Without the environment's proxies.
        self._client = httpx.Client(trust_env=False, timeout=_REST_SECONDS)
        self._resumed_ns = 0
        self._cpu_seconds = 0.0
        self._has_ended = threading.Event()

    def run(self) -> None:
        """Accept the order and follow signals until k6 has ended."""
        with self._client:
            self._run()

    def _run(self) -> None:
        host = self._host
        self._reporter.send(
            Accepted(host_digest=host.host_digest, cpus=list(host.cpus), k6_sha256=host.k6_sha256)
        )
        beaten = time.monotonic()
        while not self._has_ended.is_set():
            signals = self._reporter.read()
            # Before the signals: a worker that is being stopped begins nothing.
            if self._is_stopping():
                raise TachoError(f"The worker of the load host {host.name} is being stopped.")
            for signal in signals:
                self._follow(signal)
            if time.monotonic() - beaten >= _BEAT_SECONDS:
                beaten = time.monotonic()
                if not self._reporter.is_wanted():
                    raise LoadAbandoned("The host of the service no longer wants the load.")
                self._reporter.send(Beat())

    def _follow(self, signal: Signal) -> None:
        if signal is Signal.MEASURE:
            self._measure()
        elif signal is Signal.PREPARE:
            self._prepare()
        elif signal is Signal.START:
            self._start()
        elif self._execution is not None:
            self._execution.finish()

    def _measure(self) -> None:
        """Measure the network to the service's host."""
        environment = {"GOMAXPROCS": str(len(self._host.cpus))}
        command = network_command("k6", self._order.echo_address)
        execution = self._pod.execute(command, environment)
        lines = list(execution.lines())
        end = await_exit(execution)
        if not lines or not end.is_success:
            raise TachoError(
                f"The load host {self._host.name} cannot reach {self._order.echo_address}: "
                f"{execution.stderr.strip()}. Check TACHO_SERVICE_ADDRESS on the host of the "
                "service, and the firewalls between both hosts."
            )
        self._reporter.send(Measured(line=lines[0]))

    def _prepare(self) -> None:
        """Start k6, and wait until it has prepared its part of the load."""
        port = find_free_port()
        self._rest = f"127.0.0.1:{port}"
        host = self._host
        self._execution = self._pod.execute(
            segment_command("k6", f"{self._scripts}/load.js", self._segment, self._rest),
            {
                **self._order.environment,
                **load_environment(len(host.cpus), host.memory_bytes),
                **segment_environment(self._segment),
                **({"TACHO_DATA": self._data} if self._data else {}),
            },
        )
        deadline = time.monotonic() + _PREPARE_SECONDS
        while self._read_status() != _PAUSED_BEFORE_RUN:
            if _has_ended(self._execution):
                self._forward(self._execution)
                return
            if time.monotonic() > deadline:
                raise TachoError(
                    f"The load generator on {host.name} was not ready after {_PREPARE_SECONDS:.0f}"
                    " s."
                )
            time.sleep(_STATUS_SECONDS)
        self._reporter.send(Ready())

    def _start(self) -> None:
        """Resume k6, and forward its lines from now on."""
        if self._execution is None:
            raise TachoError("The load was started before it was prepared.")
        self._cpu_seconds = self._pod.read(PodRole.LOAD).cpu_seconds
        self._resumed_ns = time.monotonic_ns()
        change: dict[str, object] = {"type": "status", "id": "default", "attributes": _RESUMED}
        self._call_rest("PATCH", {"data": change})
        thread = threading.Thread(
            target=self._forward, args=(self._execution,), name="load-lines", daemon=True
        )
        thread.start()

    def _forward(self, execution: Execution) -> None:
        """Report k6's lines until it ends, and how it ended."""
        try:
            for text in execution.lines():
                self._reporter.send(self._translate(text))
            end = await_exit(execution)
            self._reporter.send(
                Ended(code=end.code, signal_number=end.signal_number, stderr=execution.stderr)
            )
        except TachoError as failure:
            self._reporter.try_send(Failed(detail=failure.detail))
        finally:
            self._has_ended.set()

    def _translate(self, text: str) -> Report:
        """Return the report of a line. Times of this host's clocks never leave it."""
        if '"start"' in text and isinstance(line := parse_line(text), StartLine):
            begin_ns = to_monotonic_ns(line.wall_ns, not_before_ns=self._resumed_ns)
            return Started(offset_ns=begin_ns - self._resumed_ns, seconds=line.seconds)
        used = self._pod.read(PodRole.LOAD).cpu_seconds
        since, self._cpu_seconds = used - self._cpu_seconds, used
        return Line(text=text, cpu_seconds=since)

    def _read_status(self) -> int | None:
        """Read k6's status; None while its REST interface does not answer."""
        try:
            return int(self._call_rest("GET")["data"]["attributes"]["status"])
        except httpx.HTTPError:
            return None

    def _call_rest(
        self, method: str, change: dict[str, object] | None = None
    ) -> dict[str, dict[str, dict[str, int]]]:
        answer = self._client.request(method, f"http://{self._rest}/v1/status", json=change)
        found: dict[str, dict[str, dict[str, int]]] = answer.raise_for_status().json()
        return found


_RESUMED = {"paused": False}


def _has_ended(execution: Execution) -> bool:
    try:
        execution.wait(0)
    except TimeoutError:
        return False
    return True
