"""Load from other machines reaches services in a network of their own, in a complete Tacho.

Tacho runs in a network namespace, and each load host in another one.
"""

import os
import subprocess
from collections.abc import Iterator

import pytest

from backend.core.units import RuntimeKind, ServiceNetwork
from tools.benchmarks.api import describe
from worker.runtime.service_link import find_link_fault
from worker.tests.acceptance.cells import DURATION_SECONDS, RATE_RPS, cell
from worker.tests.acceptance.load_hosts import LoadHosts, open_load_hosts
from worker.tests.acceptance.remains import list_remains
from worker.tests.own_network import open_far_hosts, own_network


@pytest.fixture
def load_hosts(runtime: RuntimeKind) -> Iterator[LoadHosts]:
    """Two load hosts, which reach the host of the services only over links."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], check=False).returncode:
        pytest.skip("making network namespaces needs root")
    with own_network(), open_far_hosts(2) as hosts:
        if fault := find_link_fault(hosts[0].near_address):
            pytest.skip(fault)
        with open_load_hosts(f"acceptance-network-{runtime}", hosts, runtime) as load_hosts:
            yield load_hosts


def test_load_hosts_send_the_load_to_an_isolated_service(load_hosts: LoadHosts) -> None:
    stack = load_hosts.stack
    # The network of the test has no registry of packages, which other scenarios need.
    run = stack.create_run([cell("go-nethttp")], load_hosts=load_hosts.names)

    ended = stack.api.await_run(run, 240)

    assert ended["status"] == "succeeded", describe(ended)
    trial = stack.api.get(f"/trials/{ended['trials'][0]['id']}")
    # On a busy machine, a request may be sent in the next second.
    assert trial["requests_total"] == pytest.approx(RATE_RPS * DURATION_SECONDS, rel=0.02)
    assert trial["metrics"]["success_ratio"] == 1
    assert trial["checks"]["wrong"] == 0
    environment = trial["environment"]
    assert environment["service_network"] == ServiceNetwork.OWN
    assert environment["isolation_notes"] == []
    assert [host["name"] for host in environment["load_hosts"]] == load_hosts.names
    assert all(host["network"]["send_mbps"] > 0 for host in environment["load_hosts"])
    assert list_remains(stack, ended) == []
    assert _list_links() == []


def _list_links() -> list[str]:
    """Return the devices and rules of links in this network."""
    commands = (
        ("ip", "-brief", "link"),
        ("nft", "list", "tables"),
        ("iptables", "-S"),
    )
    lines = [
        line
        for command in commands
        for line in subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
    return [line for line in lines if "tacho-" in line]
