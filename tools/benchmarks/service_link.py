"""Measure what the way into a pod adds to the network: `make bench-service-link`.

Two network namespaces play the host of a service and a load host. A pair of virtual Ethernet
devices joins them. The load host measures round trips and throughput to an echo server of the load
generator, in turns

1. in the network of the host, where services listened before pods kept their own network,
2. in the network of a pod behind a link: two more devices and address translation by the kernel,
3. in the same network behind `docker-proxy`, the forwarder with which Docker publishes ports for
   programs of the same machine, as a peer.

It needs root. The last line is one JSON object.
"""

import argparse
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median

from backend.platform.network import find_free_port
from tools.benchmarks.links import FarHost
from tools.benchmarks.measuring import measure_in_turns, print_result
from tools.benchmarks.needs import require_namespaces
from tools.benchmarks.own_network import open_neighbour, own_network
from tools.benchmarks.programs import find_k6
from worker.loadgen.command import echo_command, network_command
from worker.loadgen.parse import NetworkLine, parse_line
from worker.runtime.base import ALL_ADDRESSES, join_address
from worker.runtime.service_link import ServiceLink, find_link_fault, hold_namespace, name_link

_ROUNDS = 10
_SHOWN = ("min_ms", "p50_ms", "p90_ms", "p99_ms", "send_mbps", "receive_mbps")
_HOST, _POD, _PROXY = "host", "pod", "docker-proxy"
# A latency of a service is rarely known to less than 0.02 ms.
_GOALS = {"added_p50_ms": 0.02}
_WAIT_S = 10


def main() -> int:
    """Print the table and the JSON line. The exit code is 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="measurements of each way")
    rounds = parser.parse_args().rounds
    require_namespaces()
    k6 = find_k6()
    with own_network(), open_neighbour() as neighbour:
        if fault := find_link_fault(neighbour.near_address):
            raise SystemExit(fault)
        with open_ways(k6, neighbour) as ways:
            measured = measure_in_turns(
                rounds,
                {way: partial(_measure, k6, neighbour, target) for way, target in ways.items()},
            )
    figures = {
        way: {name: round(median(getattr(line, name) for line in lines), 4) for name in _SHOWN}
        for way, lines in measured.items()
    }
    print(f"{'':14}" + "".join(f"{name:>14}" for name in _SHOWN))
    for way, shown in figures.items():
        print(f"{way:14}" + "".join(f"{value:14.3f}" for value in shown.values()))
    added = {
        way: round(figures[way]["p50_ms"] - figures[_HOST]["p50_ms"], 4)
        for way in figures
        if way != _HOST
    }
    met = added[_POD] <= _GOALS["added_p50_ms"]
    result = {"rounds": rounds, "ways": figures, "added_p50_ms": added}
    print_result("service-link", result, _GOALS, met=met)
    return 0 if met else 1


@contextmanager
def open_ways(k6: Path, neighbour: FarHost) -> Iterator[Mapping[str, str]]:
    """Serve echoes in the host and in a pod; yield the addresses at which the neighbour gets them.

    Without docker-proxy on this machine, its way is left out.
    """
    address = neighbour.near_address
    with ExitStack() as exits:
        pid = exits.enter_context(hold_namespace())
        link = ServiceLink(name_link("bench", os.getpid()), address, pid)
        exits.callback(link.close)
        ports = {way: find_free_port() for way in (_HOST, _POD, _PROXY)}
        link.expose(ports[_POD])
        exits.enter_context(run(echo_command(str(k6), address, ports[_HOST])))
        inside = ("nsenter", "--target", str(pid), "--net", "--")
        exits.enter_context(run([*inside, *echo_command(str(k6), ALL_ADDRESSES, ports[_POD])]))
        proxy = shutil.which("docker-proxy", path=f"{os.environ['PATH']}:/usr/sbin:/usr/libexec")
        if proxy is None:
            print("There is no docker-proxy on this machine; its way is left out.", flush=True)
            del ports[_PROXY]
        else:
            words = {
                "-proto": "tcp",
                "-host-ip": address,
                "-host-port": str(ports[_PROXY]),
                "-container-ip": link.pod_address,
                "-container-port": str(ports[_POD]),
            }
            command = [proxy, *chain.from_iterable(words.items())]
            exits.enter_context(run_proxy(command))
        yield {way: join_address(address, port) for way, port in ports.items()}


@contextmanager
def run(command: Sequence[str]) -> Iterator[None]:
    """Run a command from its first line of output to the end of the context."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            if not process.stdout.readline():
                raise RuntimeError(f"`{command[0]}` ended with exit code {process.wait(_WAIT_S)}.")
            yield
        finally:
            process.kill()


@contextmanager
def run_proxy(command: Sequence[str]) -> Iterator[None]:
    """Run docker-proxy, which reports to the file descriptor 3 that it listens."""
    reader, writer = os.pipe()
    shell = ["/bin/sh", "-c", f'exec "$@" 3>&{writer}', "sh", *command]
    with subprocess.Popen(shell, pass_fds=[writer]) as process:
        os.close(writer)
        try:
            with os.fdopen(reader, "rb") as report:
                if (status := report.read(2)) != b"0\n":
                    raise RuntimeError(f"docker-proxy does not start: {status!r}.")
            yield
        finally:
            process.kill()


def _measure(k6: Path, neighbour: FarHost, target: str) -> NetworkLine:
    done = subprocess.run(
        [*neighbour.launcher, *network_command(str(k6), target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"The network to {target} cannot be measured: {done.stderr}")
    line = parse_line(done.stdout.strip())
    assert isinstance(line, NetworkLine)
    return line


if __name__ == "__main__":
    raise SystemExit(main())
