"""Where the load of a trial comes from: k6 in the trial's pod, or load hosts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from math import ceil
from typing import Protocol, cast

from backend.core.config import get_settings
from backend.core.documents import NetworkMeasurement, TrialLoadHost
from backend.core.errors import LoadFailed
from backend.core.queue import open_redis, request_load_hosts
from worker.loadgen.command import (
    echo_command,
    load_command,
    load_environment,
    script_command,
    script_environment,
)
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import EchoLine, EndLine, LoadLine
from worker.loadgen.script import (
    ScriptFailed,
    explain_missing_seconds,
    find_fault,
    is_good_end,
)
from worker.remote.channels import ServiceChannel
from worker.remote.load import JoinedHost, RemoteLoad
from worker.remote.messages import LoadOrder, make_load_id
from worker.runtime.base import Execution, Pod, join_address
from worker.sampling.sampler import ResourceSecond
from worker.stages.build import Materials
from worker.stages.context import TrialContext
from worker.stages.start import ReadyService, read_scripts

# Variables of the scripts that name folders of this host.
_FOLDERS = frozenset({"TACHO_DATA"})
# A script goes on while the word to finish is under way.
_RESERVE_SECONDS = 3


class LoadSource(Protocol):
    """Sends the load of a trial."""

    @property
    def load_hosts(self) -> Sequence[TrialLoadHost]:
        """Return the hosts that send the load; empty if this host does."""
        ...

    @property
    def stderr(self) -> str:
        """Return the last lines that the load generators wrote to stderr."""
        ...

    def complete(self, rows: Sequence[ResourceSecond]) -> Sequence[ResourceSecond]:
        """Return the resources of seconds with the CPU time of the load generators."""
        ...

    def start(self) -> None:
        """Start the load."""
        ...

    def lines(self) -> Iterator[LoadLine]:
        """Yield the lines of the load until it has ended."""
        ...

    def finish(self) -> None:
        """Send no more requests, and wait for the answers to those under way."""
        ...

    def check_end(self, *, is_complete: bool) -> None:
        """Raise LoadFailed unless the load ended well; `is_complete` if its end was reported."""
        ...

    def explain_missing(self, seconds: int, end: EndLine | None) -> LoadFailed:
        """Return the failure of a load that ended before all seconds were measured.

        Args:
            seconds: how many were reported.
            end: of the load, if it was reported.
        """
        ...


@contextmanager
def open_source(
    context: TrialContext, pod: Pod, service: ReadyService, materials: Materials
) -> Iterator[LoadSource]:
    """Open the source of a trial's load.

    Raises:
        LoadHostLost: a load host did not accept its part.
        ScriptFailed: load hosts cannot send the load of a k6 script.
    """
    if not context.assignment.load_hosts:
        yield PodLoad(context, pod, service, materials.scenario.script)
        return
    if materials.scenario.script is not None:
        raise ScriptFailed(
            f"Load hosts cannot run the k6 script {materials.scenario.script}. Start the run again "
            "without load hosts."
        )
    with _open_echo(context, pod) as echo_address:
        remote = _make_remote(context, service, materials, echo_address)
        with remote:
            joined = remote.join()
            yield HostsLoad(remote, joined)


class PodLoad:
    """k6 in the trial's pod. `script` is a k6 script that sends the load itself."""

    load_hosts: Sequence[TrialLoadHost] = ()

    def __init__(
        self, context: TrialContext, pod: Pod, service: ReadyService, script: str | None = None
    ) -> None:
        self._bench = context.bench
        self._assignment = context.assignment
        self._pod = pod
        self._service = service
        self._script = script
        self._started: Execution | None = None

    @property
    def stderr(self) -> str:
        """Return the last lines that k6 wrote to stderr."""
        return self._execution.stderr

    def complete(self, rows: Sequence[ResourceSecond]) -> Sequence[ResourceSecond]:
        """Return the rows: the sampler reads k6 in the pod."""
        return rows

    def start(self) -> None:
        """Start k6."""
        bench = self._bench
        command, environment = self._find_command()
        self._started = self._pod.execute(
            command,
            {
                **self._service.environment,
                **load_environment(len(bench.cpus.load), bench.load_memory_bytes),
                **environment,
            },
        )

    def _find_command(self) -> tuple[list[str], dict[str, str]]:
        """Return the command of the load, and the variables of its own."""
        folder, is_summarised = self._service.folder, self._bench.keeps_k6_summary
        if self._script is None:
            command = load_command("k6", f"{folder}/load.js", is_summarised=is_summarised)
            return command, {"TACHO_K6_SUMMARY": "1"} if is_summarised else {}
        target, parameters = self._service.environment["TACHO_TARGET"], self._assignment.parameters
        timeout_seconds = ceil(parameters["timeout_ms"] / 1000)
        seconds = self._assignment.load_seconds + timeout_seconds + _RESERVE_SECONDS
        # The warm-up of a script takes all of its time (window.py).
        begin = parameters["warm_up_seconds"]
        window = range(begin, begin + parameters["duration_seconds"])
        command = script_command("k6", f"{folder}/{self._script}")
        return command, script_environment(target, seconds, window)

    def lines(self) -> Iterator[LoadLine]:
        """Yield k6's lines."""
        return read_lines(self._execution)

    def finish(self) -> None:
        """Finish the load."""
        self._execution.finish()

    def check_end(self, *, is_complete: bool) -> None:
        """Raise LoadFailed unless k6 ended well."""
        end = await_exit(self._execution)
        if self._script is not None and (fault := find_fault(end, self.stderr, self._script)):
            raise fault
        is_good = end.is_success if self._script is None else is_good_end(end)
        if not is_good or not is_complete:
            raise explain_death(end, self._execution)

    def explain_missing(self, seconds: int, end: EndLine | None) -> LoadFailed:
        """Return the failure of a load that ended before all seconds were measured."""
        if self._script is None or end is None:
            return _explain_missing(seconds)
        parameters = self._assignment.parameters
        return explain_missing_seconds(end, seconds, parameters, self.stderr, self._script)

    @property
    def _execution(self) -> Execution:
        assert self._started is not None
        return self._started


class HostsLoad:
    """Load hosts that have joined the trial."""

    def __init__(self, remote: RemoteLoad, joined: Sequence[JoinedHost]) -> None:
        self._remote = remote
        self.load_hosts: Sequence[TrialLoadHost] = [_describe(host) for host in joined]

    @property
    def stderr(self) -> str:
        """Return the last lines that the load generators wrote to stderr, by load host."""
        return self._remote.stderr

    def complete(self, rows: Sequence[ResourceSecond]) -> Sequence[ResourceSecond]:
        """Return the rows with the CPU time that load hosts reported."""
        used = self._remote.cpu_seconds
        return [
            replace(row, resources=replace(row.resources, cpu_load_seconds=used.get(row.second)))
            for row in rows
        ]

    def start(self) -> None:
        """Start all load generators with one signal."""
        self._remote.start()

    def lines(self) -> Iterator[LoadLine]:
        """Yield the merged lines of all load generators."""
        return self._remote.lines()

    def finish(self) -> None:
        """Finish the load on all load hosts."""
        self._remote.finish()

    def check_end(self, *, is_complete: bool) -> None:
        """Raise LoadFailed if an end is missing. `lines` raises the other failures."""
        if not is_complete:
            raise LoadFailed("The load hosts ended without the end of their output.")

    def explain_missing(self, seconds: int, end: EndLine | None) -> LoadFailed:  # noqa: ARG002
        """Return the failure of a load that ended before all seconds were measured."""
        return _explain_missing(seconds)


def _explain_missing(seconds: int) -> LoadFailed:
    return LoadFailed(f"The load generator reported {seconds} s; some seconds are missing.")


def _make_remote(
    context: TrialContext, service: ReadyService, materials: Materials, echo_address: str
) -> RemoteLoad:
    assignment, settings = context.assignment, get_settings()
    order = LoadOrder(
        k6_sha256=context.bench.harness["k6_sha256"],
        echo_address=echo_address,
        scripts=dict(read_scripts(materials)),
        data=dict(materials.data),
        environment={
            name: value for name, value in service.environment.items() if name not in _FOLDERS
        },
    )
    channel = ServiceChannel(
        open_redis(settings.redis_url),
        settings.bench_host,
        assignment.load_hosts,
        make_load_id(assignment.trial_id, assignment.attempt),
    )
    return RemoteLoad(
        channel,
        assignment.load_hosts,
        order,
        lambda: request_load_hosts(assignment.trial_id),
        context.watch.check,
    )


@contextmanager
def _open_echo(context: TrialContext, pod: Pod) -> Iterator[str]:
    """Answer measurements of the network during a trial; yield address and port."""
    address, port = context.bench.service_address, pod.expose_port()
    execution = pod.execute(echo_command("k6", pod.listen_address, port), {})
    line = next(read_lines(execution), None)
    if not isinstance(line, EchoLine):
        raise LoadFailed(
            f"Load hosts cannot reach this host, because it cannot listen on {address}: "
            f"{execution.stderr.strip()}. Set TACHO_SERVICE_ADDRESS to an address of this host."
        )
    try:
        yield join_address(address, line.port)
    finally:
        execution.interrupt()


def _describe(host: JoinedHost) -> TrialLoadHost:
    network = asdict(host.network)
    del network["type"]
    return TrialLoadHost(
        name=host.name,
        host_digest=host.host_digest,
        cpus=list(host.cpus),
        network=cast("NetworkMeasurement", network),
    )
