"""Cases of Docker only: no engine, no visible control groups, an image that cannot start."""

import gc
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from backend.core.catalog.sources import SourceTree
from backend.core.config import get_settings
from backend.core.units import Isolation, RuntimeKind
from worker.runtime.base import BuildRequest, Pod, PodRole, Runtime
from worker.runtime.docker import DockerRuntime
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.engine import (
    LABEL_TRIAL,
    check_container_runtime,
    connect,
    find_memory_fault,
    find_runtime_fault,
)
from worker.runtime.errors import PodLost, RuntimeUnavailable, StartFailed
from worker.runtime.exit import Exit
from worker.tests.runtime.bench import (
    SERVICE,
    ignore,
    never,
    new_pod_spec,
    open_bench,
    service_spec,
)

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_missing_engine_is_reported_with_the_fix(
    k6: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    bases = Bases.load(ROOT / "services/bases", "official")
    with pytest.raises(RuntimeUnavailable, match="No Docker engine answers") as failure:
        DockerRuntime(k6, bases, tmp_path).check()
    assert "DOCKER_HOST" in failure.value.fix
    # The SDK leaves the socket it could not connect to the garbage collector, which warns.
    del failure
    gc.collect()


@pytest.mark.docker
def test_engine_describes_itself(docker_runtime: Runtime) -> None:
    docker_runtime.check()
    info = docker_runtime.describe()
    assert info.kind is RuntimeKind.DOCKER
    assert info.version[0].isdigit()
    assert info.memory_fault == ""


def test_an_engine_that_cannot_limit_memory_is_reported() -> None:
    assert find_memory_fault({"MemoryLimit": True}) == find_memory_fault({}) == ""
    assert "cannot limit memory" in find_memory_fault({"MemoryLimit": False})


@pytest.mark.parametrize(
    ("known", "error"),
    [
        ({"runc": {"path": "runc"}}, "has no such runtime; it has runc"),
        ({"runsc": {"path": "/bin/runsc"}}, "network stack of its own"),
        ({"runsc": {"path": "/bin/runsc", "runtimeArgs": ["--debug"]}}, "network stack of its own"),
    ],
)
def test_gvisor_that_cannot_run_services_is_reported(
    known: dict[str, dict[str, object]], error: str
) -> None:
    fault = find_runtime_fault(known, "runsc")
    assert fault is not None
    assert error in fault.detail


@pytest.mark.docker
def test_a_service_runs_with_gvisor(
    docker_runtime: Runtime, plain_service: BuildRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(connect()) as engine:
        if "runsc" not in engine.info()["Runtimes"]:
            with pytest.raises(RuntimeUnavailable, match="no such runtime"):
                check_container_runtime(engine, "runsc")
            pytest.skip("the engine has no gVisor")
    monkeypatch.setenv("TACHO_CONTAINER_RUNTIME", "runsc")
    get_settings.cache_clear()
    try:
        docker_runtime.check()
        assert docker_runtime.describe().isolation is Isolation.CONTAINER_GVISOR
        with open_bench(docker_runtime, plain_service, new_pod_spec()) as bench:
            used_seconds = float(bench.get("/burn?seconds=1"))
            # The clock in gVisor also counts time in which the service waited for a CPU.
            assert bench.pod.read(PodRole.SERVICE).cpu_seconds >= used_seconds / 2
    finally:
        get_settings.cache_clear()


@pytest.mark.docker
def test_engine_stats_are_used_if_control_groups_are_not_visible(
    k6: Path, tmp_path: Path, docker_runtime: Runtime, plain_service: BuildRequest
) -> None:
    bases = Bases.load(ROOT / "services/bases", "official")
    blind = DockerRuntime(k6, bases, tmp_path, cgroup_root=tmp_path)
    with open_bench(blind, plain_service, new_pod_spec()) as bench:
        before = bench.pod.read(PodRole.SERVICE)
        used_seconds = float(bench.get("/burn?seconds=1"))
        after = bench.pod.read(PodRole.SERVICE)
        bench.get("/exit")
        gone = bench.pod.read(PodRole.SERVICE)
    assert after.source == "engine_stats"
    assert after.cpu_seconds - before.cpu_seconds == pytest.approx(used_seconds, rel=0.03)
    assert after.threads >= 3
    assert after.memory_anon_bytes > 0
    assert gone.threads == 0
    assert gone.cpu_seconds >= after.cpu_seconds


@pytest.mark.docker
def test_a_tag_with_another_image_does_not_change_the_trial(
    docker_runtime: Runtime, plain_service: BuildRequest
) -> None:
    artifact = docker_runtime.build(plain_service, ignore, never)
    repository, _, tag = artifact.reference.partition(":")
    spec = new_pod_spec()
    with closing(connect()) as engine, docker_runtime.open_pod(spec) as pod:
        (holder,) = engine.containers(filters={"label": f"{LABEL_TRIAL}={spec.trial_id}"})
        engine.tag(holder["ImageID"], repository, tag)
        try:
            pod.start(service_spec(artifact, plain_service, 8080, {}))
            found = engine.inspect_container(f"tacho-{spec.trial_id}-{SERVICE}")
        finally:
            engine.tag(artifact.image_id, repository, tag)
    assert found["Image"] == artifact.image_id != holder["ImageID"]


@pytest.mark.docker
def test_an_image_without_its_program_does_not_start(
    docker_runtime: Runtime, plain_service: BuildRequest, tmp_path: Path
) -> None:
    (tmp_path / "Dockerfile").write_text('FROM scratch\nCOPY Dockerfile /\nENTRYPOINT ["/none"]\n')
    request = replace(
        plain_service, slug="no-program", source=SourceTree(tmp_path), digest=plain_service.digest
    )
    artifact = docker_runtime.build(request, ignore, never)
    spec = new_pod_spec()
    with (
        docker_runtime.open_pod(spec) as pod,
        pytest.raises(StartFailed, match=r"service does not start.*/none"),
    ):
        pod.start(service_spec(artifact, request, 8080, {}))
    assert (spec.trial_id, 1) not in docker_runtime.list_attempts()


@pytest.mark.docker
def test_a_container_that_is_removed_did_not_end_by_itself(
    docker_runtime: Runtime, plain_service: BuildRequest
) -> None:
    """The engine kills a container first, and the service must not be blamed for that."""
    for _ in range(3):
        spec = new_pod_spec()
        with open_bench(docker_runtime, plain_service, spec) as bench, closing(connect()) as engine:
            name = f"tacho-{spec.trial_id}-{SERVICE}"
            removal = Thread(target=engine.remove_container, args=(name,), kwargs={"force": True})
            removal.start()
            with pytest.raises(PodLost, match="removed from outside"):
                await_exit(bench.pod)
            removal.join()


def await_exit(pod: Pod) -> Exit:
    """Return how the service ended."""
    while (found := pod.find_exit(SERVICE)) is None:
        pass
    return found
