"""Load hosts reach the exposed ports of a pod, and the pod reaches nothing.

The tests run in a network namespace of their own. Its neighbour is the load host.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from backend.core.units import ServiceNetwork
from backend.tests.waiting import LIMIT_S
from worker.loadgen.command import echo_command, ready_command
from worker.runtime.base import ALL_ADDRESSES, LOOPBACK, BuildRequest, Pod, PodSpec, Runtime
from worker.runtime.errors import RuntimeFailure
from worker.runtime.process import ProcessRuntime
from worker.runtime.service_link import find_link_fault, name_link
from worker.tests.own_network import FarHost, open_far_hosts, own_network
from worker.tests.runtime.bench import ignore, never, new_pod_spec, service_spec

_PRIVATE_PORT = 20_000
# Prints the body of a response, or the kind of the error.
_GET = """
import sys, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=2).read().decode())
except OSError as error:
    print("failed", getattr(error, "reason", error))
"""


@dataclass(frozen=True)
class LinkedService:
    """A service in a pod that load hosts reach, its URL for them, and the address of the pod."""

    spec: PodSpec
    pod: Pod
    url: str
    pod_address: str


@pytest.fixture
def neighbour() -> Iterator[FarHost]:
    """A machine that reaches this one over a network of their own."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], check=False).returncode:
        pytest.skip("making network namespaces needs root")
    with own_network(), open_far_hosts(1) as (host,):
        # As Docker does.
        subprocess.run(["iptables", "-P", "FORWARD", "DROP"], check=True)
        if fault := find_link_fault(host.near_address):
            pytest.skip(fault)
        yield host


@pytest.fixture
def linked(
    runtime: Runtime, plain_service: BuildRequest, neighbour: FarHost
) -> Iterator[LinkedService]:
    """The plain service, which the neighbour reaches."""
    with open_linked(runtime, plain_service, neighbour) as service:
        yield service


@contextmanager
def open_linked(
    runtime: Runtime, request: BuildRequest, neighbour: FarHost
) -> Iterator[LinkedService]:
    artifact = runtime.build(request, ignore, never)
    address = neighbour.near_address
    spec = replace(new_pod_spec(), service_address=address)
    with runtime.open_pod(spec) as pod:
        assert (pod.service_network, pod.listen_address) == (ServiceNetwork.OWN, ALL_ADDRESSES)
        port = pod.expose_port()
        service = service_spec(artifact, request, port, {})
        pod.start(replace(service, address=pod.listen_address))
        url = f"http://{address}:{port}"
        ready = pod.execute(ready_command("k6", f"{url}/health", timeout_s=120), {})
        assert ready.wait(LIMIT_S).is_success, ready.stderr
        yield LinkedService(spec, pod, url, find_pod_address(spec))


def find_pod_address(spec: PodSpec) -> str:
    device = name_link(spec.trial_id, spec.attempt)
    found = subprocess.run(
        ["ip", "-json", "-4", "address", "show", "dev", device],
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(found.stdout)[0]["addr_info"][0]["address"])


def get(url: str, *launcher: str) -> str:
    """Return the body of a GET, sent by a program behind `launcher`."""
    words = [*launcher, sys.executable, "-c", _GET, url]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    return done.stdout.strip()


def list_rules() -> str:
    commands = (["nft", "list", "tables"], ["iptables", "-S"])
    return "".join(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for command in commands
    )


def list_devices() -> str:
    return subprocess.run(
        ["ip", "-brief", "link"], capture_output=True, text=True, check=True
    ).stdout


def test_load_hosts_reach_a_service_and_no_other_port(
    linked: LinkedService, neighbour: FarHost
) -> None:
    assert get(linked.url, *neighbour.launcher) == "Hello"
    # A worker of another bench host may run on the same machine.
    assert get(linked.url) == "Hello"
    execution = linked.pod.execute(echo_command("k6", ALL_ADDRESSES, _PRIVATE_PORT), {})
    assert str(_PRIVATE_PORT) in next(execution.lines())
    way = (*neighbour.launcher, "ip", "route", "add", linked.pod_address, "via")
    subprocess.run([*way, neighbour.near_address], check=True)
    port = linked.url.rpartition(":")[2]

    for host in (neighbour.near_address, linked.pod_address):
        found = get(f"http://{host}:{_PRIVATE_PORT}", *neighbour.launcher)
        assert found.startswith("failed"), host
    # Load reaches a service only at the service address.
    direct = get(f"http://{linked.pod_address}:{port}", *neighbour.launcher)
    assert direct.startswith("failed")


def test_a_service_reaches_nobody(
    linked: LinkedService, neighbour: FarHost, tmp_path: Path
) -> None:
    device = name_link(linked.spec.trial_id, linked.spec.attempt)
    host_address = find_own_address(device)
    with ExitStack() as exits:
        ports = {
            neighbour.address: exits.enter_context(
                serve(tmp_path, neighbour.address, *neighbour.launcher)
            ),
            host_address: exits.enter_context(serve(tmp_path, ALL_ADDRESSES)),
        }
        for address, port in ports.items():
            assert not get(f"http://{address}:{port}").startswith("failed")
            path = f"/dial?to={address}:{port}"
            assert "unreachable" in get(linked.url + path, *neighbour.launcher)
            # A service that names its address as the source has a route.
            hostile = f"{path}&from={linked.pod_address}"
            assert "timeout" in get(linked.url + hostile, *neighbour.launcher)
    facts = json.loads(get(f"{linked.url}/facts", *neighbour.launcher))
    assert "unreachable" in facts["outside_error"]
    assert int(facts["capabilities"], 16) == 0


def find_own_address(device: str) -> str:
    found = subprocess.run(
        ["ip", "-json", "address", "show", "dev", device],
        capture_output=True,
        text=True,
        check=True,
    )
    own = json.loads(found.stdout)[0]["addr_info"]
    # Without IPv6, which the rules do not cover.
    assert [address["family"] for address in own] == ["inet"]
    return str(own[0]["local"])


@contextmanager
def serve(folder: Path, address: str, *launcher: str) -> Iterator[int]:
    """Serve a folder over HTTP; yield the port."""
    script = (
        "import http.server, sys\n"
        f"server = http.server.HTTPServer(({address!r}, 0), http.server.SimpleHTTPRequestHandler)\n"
        "print(server.server_address[1], flush=True)\n"
        "server.serve_forever()\n"
    )
    with subprocess.Popen(
        [*launcher, sys.executable, "-c", script],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


@pytest.mark.parametrize("is_killed", [False, True])
def test_nothing_stays_behind(
    runtime: Runtime, plain_service: BuildRequest, neighbour: FarHost, *, is_killed: bool
) -> None:
    before = list_rules(), list_devices()
    with open_linked(runtime, plain_service, neighbour) as service:
        name = name_link(service.spec.trial_id, service.spec.attempt)
        assert name in list_rules()
        assert name in list_devices()
        if is_killed:
            # As the next worker does.
            runtime.remove_attempt(service.spec.trial_id, service.spec.attempt)
            assert (list_rules(), list_devices()) == before

    assert (list_rules(), list_devices()) == before


def test_an_address_that_cannot_be_used_is_named(
    neighbour: FarHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address, fault in (
        ("127.0.0.2", "loopback address"),
        ("2001:db8::1", "not an IPv4 address"),
        # Of another machine.
        ("192.0.2.1", "no address 192.0.2.1"),
    ):
        assert fault in find_link_fault(address)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "as root" in find_link_fault(neighbour.near_address)


@pytest.mark.usefixtures("neighbour")
def test_a_host_that_forwards_nothing_makes_no_link(runtime: Runtime) -> None:
    with own_network(forwards=False), open_far_hosts(1) as (host,):
        address = host.near_address
        assert "ip_forward=1" in find_link_fault(address)
        # Processes can use the network of the host instead.
        accepts = isinstance(runtime, ProcessRuntime)
        assert ("ip_forward=1" in runtime.find_remote_fault(address)) is not accepts


@pytest.mark.usefixtures("neighbour")
def test_processes_share_the_network_of_a_host_without_links(
    process_runtime: ProcessRuntime,
) -> None:
    spec = replace(new_pod_spec(), service_address="127.0.0.2")
    with process_runtime.open_pod(spec) as pod:
        assert (pod.service_network, pod.listen_address) == (ServiceNetwork.HOST, "127.0.0.2")
        assert pod.expose_port() >= 1024


def test_a_pod_without_a_service_address_exposes_nothing(runtime: Runtime) -> None:
    with runtime.open_pod(new_pod_spec()) as pod:
        assert pod.listen_address == LOOPBACK
        with pytest.raises(RuntimeFailure, match="no service address"):
            pod.expose_port()
