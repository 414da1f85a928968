"""Where the load of a trial comes from: k6 in the trial's pod, or load hosts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Protocol, cast

from backend.core.config import get_settings
from backend.core.documents import NetworkMeasurement, TrialLoadHost
from backend.core.errors import LoadFailed
from backend.core.queue import open_redis, request_load_hosts
from worker.loadgen.command import echo_command, load_command, load_environment
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import EchoLine, LoadLine
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


@contextmanager
def open_source(
    context: TrialContext, pod: Pod, service: ReadyService, materials: Materials
) -> Iterator[LoadSource]:
    """Open the source of a trial's load.

    Raises:
        LoadHostLost: a load host did not accept its part.
    """
    if not context.assignment.load_hosts:
        yield PodLoad(context, pod, service)
        return
    with _open_echo(context, pod) as echo_address:
        remote = _make_remote(context, service, materials, echo_address)
        with remote:
            joined = remote.join()
            yield HostsLoad(remote, joined)


class PodLoad:
    """k6 in the trial's pod."""

    load_hosts: Sequence[TrialLoadHost] = ()

    def __init__(self, context: TrialContext, pod: Pod, service: ReadyService) -> None:
        self._bench = context.bench
        self._pod = pod
        self._service = service
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
        bench, service = self._bench, self._service
        self._started = self._pod.execute(
            load_command("k6", f"{service.folder}/load.js", is_summarised=bench.keeps_k6_summary),
            {
                **service.environment,
                **load_environment(len(bench.cpus.load), bench.load_memory_bytes),
                **({"TACHO_K6_SUMMARY": "1"} if bench.keeps_k6_summary else {}),
            },
        )

    def lines(self) -> Iterator[LoadLine]:
        """Yield k6's lines."""
        return read_lines(self._execution)

    def finish(self) -> None:
        """Finish the load."""
        self._execution.finish()

    def check_end(self, *, is_complete: bool) -> None:
        """Raise LoadFailed unless k6 ended well."""
        end = await_exit(self._execution)
        if not end.is_success or not is_complete:
            raise explain_death(end, self._execution)

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
