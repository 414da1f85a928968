"""The choice of runtime and base images, with a real engine and registries on loopback."""

import gc
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.core.config import ROOT, Settings
from backend.core.units import RuntimeKind
from worker.runtime.choice import choose_bases, choose_runtime
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.engine import EngineClient, connect
from worker.runtime.docker.images import build_from_memory
from worker.runtime.docker.registry import find_registry_fault
from worker.runtime.errors import RuntimeUnavailable
from worker.tests.runtime.registry import serve_registry


@pytest.fixture
def engine() -> Iterator[EngineClient]:
    opened = connect()
    yield opened
    opened.close()


@pytest.fixture
def no_mmdebstrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def mmdebstrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Create a program of this name, which the choice never runs."""
    program = tmp_path / "bin" / "mmdebstrap"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)


def write_bases(folder: Path, registry: str, *names: str) -> Path:
    """Return a folder of bases whose official references point at a registry."""
    entries = []
    for name in names:
        (folder / name).mkdir(parents=True)
        # The nonce distinguishes these images from those of other tests.
        (folder / name / "Dockerfile").write_text(f"FROM scratch\n# {folder}\n")
        entries.append(f'[bases.{name}]\nofficial = "{registry}/{name}:1"\ndebian = "{name}"\n')
    (folder / "bases.toml").write_text('[root]\nsuite = "trixie"\n' + "".join(entries))
    return folder


def unused_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.docker
@pytest.mark.usefixtures("no_mmdebstrap")
def test_official_bases_are_chosen_if_a_registry_answers(
    engine: EngineClient, tmp_path: Path
) -> None:
    with serve_registry({"debian", "node"}) as registry:
        folder = write_bases(tmp_path / "bases", registry, "debian", "node")
        choice = choose_bases("auto", folder, ["debian", "node"], engine)

    assert choice.flavour == "official"
    assert choice.reason == "An image registry answers the Docker engine."


@pytest.mark.docker
def test_every_registry_must_answer_about_one_of_its_images(engine: EngineClient) -> None:
    with serve_registry({"node"}) as registry:
        assert find_registry_fault(engine, [f"{registry}/gone:1", f"{registry}/node:1"]) == ""
        fault = find_registry_fault(engine, [f"{registry}/gone:1", f"{registry}/lost:1"])
        absent = find_registry_fault(engine, [f"{registry}/node:1", f"{unused_address()}/go:1"])

    assert f"{registry} refuses {registry}/lost:1" in fault
    assert "connection refused" in absent


@pytest.mark.docker
def test_a_silent_registry_does_not_delay_the_start(engine: EngineClient) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        begin = time.monotonic()
        fault = find_registry_fault(engine, [f"{address}/a:1", f"{address}/b:1"], timeout_s=0.5)

    assert f"{address} does not answer the engine in time" in fault
    assert time.monotonic() - begin < 10
    assert engine.timeout > 10


@pytest.mark.docker
@pytest.mark.usefixtures("mmdebstrap")
def test_debian_bases_are_chosen_if_no_registry_answers(
    engine: EngineClient, tmp_path: Path
) -> None:
    folder = write_bases(tmp_path / "bases", unused_address(), "debian", "node")

    choice = choose_bases("auto", folder, ["debian", "node"], engine)

    assert choice.flavour == "debian"
    assert "connection refused" in choice.reason
    assert "mmdebstrap is installed" in choice.reason


@pytest.mark.docker
@pytest.mark.usefixtures("no_mmdebstrap")
def test_bases_that_are_present_need_neither_registry_nor_mmdebstrap(
    engine: EngineClient, tmp_path: Path
) -> None:
    folder = write_bases(tmp_path / "bases", unused_address(), "debian", "node")
    needed = ["debian", "node"]
    made: list[str] = []
    try:
        for flavour in ("debian", "official"):
            bases = Bases.load(folder, "debian" if flavour == "debian" else "official")
            for reference in map(bases.reference, needed):
                dockerfile = b"FROM scratch\nLABEL of=test\n"
                build_from_memory(engine, reference, {"Dockerfile": dockerfile})
                made.append(reference)
            assert choose_bases("auto", folder, needed, engine).flavour == flavour
    finally:
        for reference in made:
            engine.remove_image(reference, force=True)


@pytest.mark.docker
@pytest.mark.usefixtures("no_mmdebstrap")
def test_without_base_images_the_message_names_every_fix(
    engine: EngineClient, tmp_path: Path
) -> None:
    folder = write_bases(tmp_path / "bases", unused_address(), "debian")

    with pytest.raises(RuntimeUnavailable) as failure:
        choose_bases("auto", folder, ["debian"], engine)

    assert "connection refused" in failure.value.reason
    for way_out in ("mmdebstrap", "TACHO_BASES", "TACHO_RUNTIME=process"):
        assert way_out in failure.value.fix


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_processes_are_chosen_without_an_engine_unless_docker_is_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")

    choice = choose_runtime(Settings(runtime="auto", services_dir=ROOT / "services"))

    assert (choice.kind, choice.flavour) == (RuntimeKind.PROCESS, None)
    assert choice.reason == f"No Docker engine answers at unix://{tmp_path}/none.sock."
    with pytest.raises(RuntimeUnavailable, match="No Docker engine answers"):
        choose_runtime(Settings(runtime="docker", services_dir=ROOT / "services"))
    # The SDK does not close a socket that could not connect, so the garbage collector warns.
    gc.collect()


@pytest.mark.docker
@pytest.mark.usefixtures("no_mmdebstrap")
def test_processes_are_chosen_without_base_images_unless_docker_is_set(
    tmp_path: Path,
) -> None:
    services = tmp_path / "services"
    write_bases(services / "bases", unused_address(), "debian")
    folder = services / "backing" / "store"
    folder.mkdir(parents=True)
    (folder / "backing.toml").write_text(
        'slug = "store"\nname = "Store"\ndescription = "A store."\nport = 80\n'
        'url_variable = "STORE_URL"\n[docker]\nbases = ["debian"]\nmemory_mb = 64\n'
    )

    choice = choose_runtime(Settings(runtime="auto", services_dir=services))

    assert choice.kind is RuntimeKind.PROCESS
    assert choice.reason.startswith("There are no base images for Docker:")
    with pytest.raises(RuntimeUnavailable, match="TACHO_BASES"):
        choose_runtime(Settings(runtime="docker", services_dir=services))
