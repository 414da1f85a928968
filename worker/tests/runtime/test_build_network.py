"""Builds of both runtimes do not reach this machine, except where settings allow it."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import docker
import pytest

from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.config import get_settings
from backend.core.units import BuildNetwork, RuntimeKind
from backend.platform.tools import get_tool
from worker.runtime.base import BuildRequest, Runtime
from worker.runtime.build_rules import list_own_addresses
from worker.runtime.docker import build_network
from worker.runtime.docker.build_network import (
    CLOSED_NETWORK,
    name_network,
    open_engine_network,
    remove_network,
)
from worker.runtime.docker.engine import connect
from worker.runtime.docker.images import remove_image
from worker.runtime.errors import RuntimeFailure
from worker.tests.runtime.bench import never

_PROBE = Path(__file__).parents[1] / "fixtures/build-probe"
# Of a process that has no root, in a mount namespace in which it may connect networks.
_BUILD_AS_NOBODY = """
import sys
from pathlib import Path
from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.sources import SourceTree
from worker.runtime.base import BuildRequest
from worker.runtime.process import ProcessRuntime
source, data, address = sys.argv[1:]
runtime = ProcessRuntime(Path("k6/k6"), Path(data), {})
recipe = ProcessRecipe(requires=(), build=(("./probe", address),), run=("true",))
request = BuildRequest("probe", SourceTree(Path(source)), "0", DockerRecipe(bases=()), recipe)
runtime.build(request, print, lambda: False)
"""

Probe = Callable[..., list[str]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the probe, which needs no image of a registry."""
    folder = tmp_path_factory.mktemp("probe") / "source"
    shutil.copytree(_PROBE, folder)
    environment = {**os.environ, "CGO_ENABLED": "0"}
    command = [get_tool("go").path, "build", "-o", "probe", "."]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    return folder


@pytest.fixture
def address() -> Iterator[str]:
    """Return an address of this machine, with the port of a server that listens there."""
    with socket.create_server((str(list_own_addresses()[0]), 0)) as server:
        yield "{}:{}".format(*server.getsockname())


@pytest.fixture
def probe(runtime: Runtime, source: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Probe]:
    """Return a function that builds with settings, and returns what the build prints."""

    def run(*addresses: str, device: str = "", **settings: str) -> list[str]:
        for name, value in settings.items():
            monkeypatch.setenv(f"TACHO_{name.upper()}", value)
        get_settings.cache_clear()
        words = ", ".join(f'"{word}"' for word in ("/probe", *addresses))
        # Otherwise the engine would use the layer of an earlier build.
        text = (
            f"FROM scratch\nCOPY probe /\nENV DEVICE={device} NEW={uuid.uuid4()}\nRUN [{words}]\n"
        )
        (source / "Dockerfile").write_text(text)
        command = ("env", f"DEVICE={device}", "./probe", *addresses)
        recipe = ProcessRecipe(requires=(), build=(command,), run=("true",))
        request = BuildRequest(
            "probe", SourceTree(source), uuid.uuid4().hex, DockerRecipe(bases=()), recipe
        )
        lines: list[str] = []
        artifact = runtime.build(request, lines.append, never)
        if runtime.kind is RuntimeKind.DOCKER:
            remove_image(artifact.reference)
        return [line for line in lines if line.startswith(("open ", "closed ", "unbound "))]

    yield run
    used = name_network(get_settings())
    monkeypatch.undo()
    get_settings.cache_clear()
    if runtime.kind is RuntimeKind.DOCKER and used != name_network(get_settings()):
        _remove(used)


def _remove(network: str) -> None:
    engine = connect()
    remove_network(engine, network)
    engine.close()


def test_builds_do_not_reach_this_machine(runtime: Runtime, probe: Probe, address: str) -> None:
    assert runtime.build_network is BuildNetwork.FILTERED
    (line,) = probe(address)
    assert line.startswith(f"closed {address}")


def test_builds_reach_an_address_of_this_machine_that_is_allowed(
    probe: Probe, address: str
) -> None:
    host = address.partition(":")[0]
    with socket.create_server((host, 0)) as other:
        closed = "{}:{}".format(*other.getsockname())
        first, second = probe(address, closed, build_allow=address)
    assert first == f"open {address}"
    assert second.startswith(f"closed {closed}")


def test_a_network_that_is_allowed_does_not_open_this_machine(probe: Probe, address: str) -> None:
    (line,) = probe(address, build_allow="0.0.0.0/0")
    assert line.startswith("closed ")


def test_builds_with_a_proxy_reach_nothing_else(
    runtime: Runtime, probe: Probe, address: str
) -> None:
    # A name server on the Internet, which answers at this port in most networks.
    lines = probe(address, "9.9.9.9:53", "10.0.2.3:53", build_proxy=f"http://{address}")
    assert runtime.build_network is BuildNetwork.PROXY
    assert [line.split()[0] for line in lines] == ["open", "closed", "closed"]


def test_a_proxy_on_a_loopback_address_is_refused(probe: Probe) -> None:
    with pytest.raises(RuntimeFailure, match=r"names the loopback address 127\.0\.0\.1"):
        probe("192.0.2.1:1", build_proxy="http://localhost:3128")


@pytest.mark.parametrize("runtime", ["process"], indirect=True)
def test_a_program_that_chooses_its_device_reaches_nothing_either(
    probe: Probe, address: str
) -> None:
    (line,) = probe(address, device="tap0")
    assert line.startswith(f"closed {address}")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that all users may enter and change."""
    with tempfile.TemporaryDirectory(prefix="tacho-test-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def test_a_user_without_root_builds_in_a_filtered_network(
    source: Path, open_folder: Path, address: str
) -> None:
    if os.geteuid() != 0:
        pytest.skip("changing to another user needs root")
    device = open_folder / "tun"
    subprocess.run(["mknod", device, "c", "10", "200"], check=True)
    device.chmod(0o666)
    prepare = 'mount --bind "$1" /dev/net/tun && shift && exec setpriv "$@"'
    user = ("--reuid=nobody", "--regid=nogroup", "--clear-groups")
    home = shutil.copytree(source, open_folder / "source")
    command = (
        sys.executable,
        "-c",
        _BUILD_AS_NOBODY,
        str(home),
        str(open_folder / "data"),
        address,
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", prepare, "sh", str(device), *user, *command],
        env={"PATH": os.environ["PATH"], "HOME": str(open_folder)},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    if "Permission denied" in done.stderr:
        pytest.skip("other users cannot read this folder")
    assert f"closed {address}" in done.stdout, done.stderr


@pytest.fixture
def shared_mount(tmp_path: Path) -> Iterator[Path]:
    """Return a mount below a shared mount, like most mounts of a machine with systemd."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    parent, child = tmp_path / "shared", tmp_path / "shared/child"
    child.mkdir(parents=True)
    subprocess.run(["mount", "--bind", parent, parent], check=True)
    try:
        subprocess.run(["mount", "--make-shared", parent], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", child], check=True)
        yield child
    finally:
        subprocess.run(["umount", "--recursive", parent], check=True)


def test_a_build_leaves_the_mounts_of_this_machine(
    probe: Probe, address: str, shared_mount: Path
) -> None:
    probe(address)

    assert shared_mount.is_mount()


@pytest.mark.docker
def test_networks_of_earlier_settings_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_network, "_UNUSED_AGE", timedelta())
    engine, names = connect(), []
    for allowed in ("198.51.100.1", "198.51.100.2"):
        monkeypatch.setenv("TACHO_BUILD_ALLOW", allowed)
        get_settings.cache_clear()
        names.append(open_engine_network(engine).mode)
    monkeypatch.undo()
    get_settings.cache_clear()
    found = [network["Name"] for network in engine.networks()]
    assert [name in found for name in names] == [False, True]
    command = ["nft", "list", "tables"]
    tables = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [name in tables for name in names] == [False, True]
    engine.close()
    _remove(names[1])


@pytest.mark.docker
def test_without_rules_of_nftables_the_network_of_a_proxy_leads_nowhere(
    monkeypatch: pytest.MonkeyPatch, source: Path, address: str
) -> None:
    monkeypatch.setattr(build_network, "explain_no_filter", lambda *_: "no root")
    monkeypatch.setenv("TACHO_BUILD_PROXY", "http://proxy:3128")
    get_settings.cache_clear()
    engine = connect()
    client = docker.from_env()
    try:
        network = open_engine_network(engine)
        assert (network.mode, network.reach) == (CLOSED_NETWORK, BuildNetwork.PROXY)
        assert network.variables["https_proxy"] == "http://proxy:3128"
        text = "FROM scratch\nCOPY probe /\n"
        (source / "Dockerfile").write_text(text)
        image, _ = client.images.build(path=str(source), tag="tacho/probe:closed")
        gateways = client.networks.get(CLOSED_NETWORK).attrs["IPAM"]["Config"]
        words = ["/probe", address, f"{gateways[0]['Gateway']}:{address.split(':')[1]}"]
        output = client.containers.run(image, words, network=CLOSED_NETWORK, remove=True)
        assert [line.split()[0] for line in output.decode().splitlines()] == ["closed"] * 2
        remove_image("tacho/probe:closed")
        _remove(CLOSED_NETWORK)
    finally:
        engine.close()
        client.close()
        monkeypatch.undo()
        get_settings.cache_clear()
