"""Load hosts for benchmarks: bench hosts in network namespaces that send the load of trials."""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sqlalchemy import make_url

from backend.core.cpus import format_cpu_list
from backend.core.queue import open_redis
from backend.core.units import Metric, RuntimeKind
from tools.benchmarks.api import Document
from tools.benchmarks.links import FarHost, open_far_hosts
from tools.benchmarks.measuring import open_stack, run_cells, trials_of
from tools.benchmarks.programs import get_go
from tools.benchmarks.socket_forwarder import SocketForwarder
from tools.benchmarks.stack import Stack
from worker.runtime.cpus import plan_own_cpus

_LOOPBACK = "127.0.0.1"
QUANTILES = (*(number / 100 for number in range(1, 100)), 0.999)


@dataclass(frozen=True)
class RemoteTrial:
    """A trial whose load came from load hosts.

    Attributes:
        latencies_ms: latencies at the QUANTILES.
        requests: number of requests in the measured window.
        cpu_us: CPU time of the service per request.
        cpu_spread: largest difference of a second's CPU time per request from the median second,
            as a share.
        networks: what each load host measured before the load.
    """

    latencies_ms: Sequence[float]
    requests: int
    cpu_us: float
    cpu_spread: float
    networks: Sequence[Mapping[str, float]]
    verdicts: Sequence[str]


class LoadHosts:
    """Bench hosts in namespaces, which send load to services on the host of a stack."""

    def __init__(
        self,
        stack: Stack,
        hosts: Sequence[FarHost],
        clocks_seconds: Sequence[int],
        environment: Mapping[str, str],
    ) -> None:
        """Prepare.

        Args:
            clocks_seconds: how far the wall clock of each load host is ahead.
            environment: settings of the workers on the load hosts.
        """
        self.stack = stack
        self.hosts = hosts
        self._clocks_seconds = clocks_seconds
        self._environment = environment
        self.names: list[str] = []

    def start(self, index: int) -> str:
        """Start the worker of a load host; return the name of the host."""
        words = [*self.hosts[index].launcher]
        if seconds := self._clocks_seconds[index]:
            words += [sys.executable, "-m", "tools.benchmarks.shifted_clock", str(seconds)]
        return self.stack.start_other_host(_part(index), words, self._environment)

    def start_first(self, count: int) -> None:
        """Start the workers of the first load hosts, except those that were started before.

        All run on the CPUs of this machine, so those that only wait disturb trials, too.
        """
        self.names += [self.start(index) for index in range(len(self.names), count)]

    def start_all(self) -> None:
        """Start the workers of all load hosts that were not started before."""
        self.start_first(len(self.hosts))

    def stop_all(self) -> None:
        """Stop the workers of the load hosts that run."""
        for index in range(len(self.hosts)):
            if self.stack.is_running(_part(index)):
                self.stack.stop(_part(index))

    def kill(self, index: int) -> None:
        """Kill the worker of a load host."""
        self.stack.kill(_part(index))

    def measure(self, cell: Mapping[str, Any], hosts: slice) -> RemoteTrial:
        """Run one trial of a cell, with load from these load hosts."""
        run = run_cells(self.stack, [cell], 1, self.names[hosts])
        return self._read(trials_of(run, 0)[0])

    def _read(self, trial: Document) -> RemoteTrial:
        api, path = self.stack.api, f"/trials/{trial['id']}"
        detail = api.get(path)
        buckets = api.get(f"{path}/latency")["buckets"]
        middles = [(bucket["low_ms"] + bucket["high_ms"]) / 2 for bucket in buckets]
        latencies = np.repeat(middles, [bucket["count"] for bucket in buckets])
        costs = [
            second["cpu_service_seconds"] / second["requests"]
            for second in api.get(f"{path}/series")["samples"]
            if second["cpu_service_seconds"] and second["requests"]
        ]
        middle = median(costs)
        return RemoteTrial(
            latencies_ms=np.quantile(latencies, QUANTILES).tolist(),
            requests=detail["requests_total"],
            cpu_us=detail["metrics"][Metric.CPU_US_PER_REQUEST],
            cpu_spread=max(abs(cost / middle - 1) for cost in costs),
            networks=[host["network"] for host in detail["environment"]["load_hosts"]],
            verdicts=[verdict["verdict"] for verdict in trial["verdicts"]],
        )


@contextmanager
def open_load_hosts(
    name: str, clocks_seconds: Sequence[int], runtime: RuntimeKind = RuntimeKind.PROCESS
) -> Iterator[LoadHosts]:
    """Run a Tacho on this host, and make load hosts that reach it only over links; start none.

    There is a load host for each of `clocks_seconds`: how far its wall clock is ahead.

    PostgreSQL of the stack has only a Unix socket, so a forwarder in this process listens for it.
    """
    with (
        tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder,
        open_far_hosts(len(clocks_seconds), get_go(), Path(folder)) as hosts,
    ):
        address = hosts[0].near_address
        settings = {"TACHO_SERVICE_ADDRESS": address}
        with open_stack(name, runtime, settings) as stack:
            url = make_url(stack.database_url)
            socket = Path(str(url.query["host"])) / ".s.PGSQL.5432"
            with (
                SocketForwarder(socket, address) as forwarder,
                open_redis(stack.redis_url) as client,
            ):
                client.config_set("bind", f"{_LOOPBACK} {address}")
                database = url.set(host=address, port=forwarder.port, query={})
                environment = {
                    "DATABASE_URL": database.render_as_string(hide_password=False),
                    "REDIS_URL": stack.redis_url.replace(_LOOPBACK, address),
                    "TACHO_SERVICE_ADDRESS": "",
                    **_choose_load_cpus(),
                }
                load_hosts = LoadHosts(stack, hosts, clocks_seconds, environment)
                try:
                    yield load_hosts
                finally:
                    load_hosts.stop_all()


def _choose_load_cpus() -> dict[str, str]:
    """Return the settings with which a load host sends from the CPUs that the service leaves."""
    cpus = format_cpu_list(plan_own_cpus().sets.load)
    return dict.fromkeys(("TACHO_SERVICE_CPUS", "TACHO_LOAD_CPUS", "TACHO_BACKING_CPUS"), cpus)


def _part(index: int) -> str:
    return f"load-{index + 1}"
