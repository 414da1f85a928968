"""Load hosts for tests: bench hosts in network namespaces that send the load of trials."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url

from backend.core.cpus import format_cpu_list
from backend.core.queue import open_redis
from backend.core.units import RuntimeKind
from tools.benchmarks.measuring import open_stack
from tools.benchmarks.socket_forwarder import SocketForwarder
from tools.benchmarks.stack import Stack
from worker.runtime.cpus import plan_own_cpus
from worker.tests.own_network import FarHost

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class LoadHosts:
    """A Tacho, and bench hosts in namespaces that send load to the services on its host.

    Attributes:
        names: of the load hosts.
    """

    stack: Stack
    names: list[str]


@contextmanager
def open_load_hosts(
    name: str, hosts: Sequence[FarHost], runtime: RuntimeKind
) -> Iterator[LoadHosts]:
    """Run a Tacho on this host, and load hosts that reach it only over links.

    PostgreSQL of the stack has only a Unix socket, so a forwarder in this process listens for it.
    """
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
            parts = [f"load-{number}" for number in range(1, len(hosts) + 1)]
            try:
                names = [
                    stack.start_other_host(part, host.launcher, environment)
                    for part, host in zip(parts, hosts, strict=True)
                ]
                yield LoadHosts(stack, names)
            finally:
                for part in filter(stack.is_running, parts):
                    stack.stop(part)


def _choose_load_cpus() -> dict[str, str]:
    """Return the settings with which a load host sends from the CPUs that the service leaves."""
    cpus = format_cpu_list(plan_own_cpus().sets.load)
    return dict.fromkeys(("TACHO_SERVICE_CPUS", "TACHO_LOAD_CPUS", "TACHO_BACKING_CPUS"), cpus)
