"""The load generator and real runtimes: processes always, Docker in tests with its mark."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import docker
import pytest
from docker.errors import DockerException, ImageNotFound

from backend.core.catalog.manifest import DockerRecipe, ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.config import ROOT
from backend.platform.tools import get_tool, module_go, resolve_tools
from worker.loadgen.build import SOURCE, ensure_k6
from worker.runtime.base import BuildRequest, Runtime
from worker.runtime.docker import DockerRuntime
from worker.runtime.docker.bases import Bases
from worker.runtime.process import ProcessRuntime
from worker.tests.runtime.bench import Bench, new_pod_spec, open_bench

_FIXTURE = ROOT / "worker/tests/fixtures/plain-service"


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Handle SIGINT as in a worker, where Celery handles it.

    A shell starts background programs with SIGINT ignored, and children inherit that. A program
    would then miss an interrupt that arrives before it has set up its own handling.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def go() -> str:
    return get_tool(module_go(SOURCE)).path


@pytest.fixture(scope="session")
def k6(go: str) -> Path:
    return ensure_k6(ROOT / ".tacho/cache", go)


@pytest.fixture(scope="session")
def plain_service(tmp_path_factory: pytest.TempPathFactory) -> BuildRequest:
    """Return the plain service with its binary, which needs no image registry."""
    folder = tmp_path_factory.mktemp("services") / "plain-service"
    shutil.copytree(_FIXTURE, folder)
    subprocess.run(
        [get_tool("go").path, "build", "-o", "plain-service", "."],
        cwd=folder,
        env={**os.environ, "CGO_ENABLED": "0"},
        check=True,
    )
    return BuildRequest(
        slug="plain-service",
        source=SourceTree(folder),
        digest=os.urandom(16).hex(),
        docker=DockerRecipe(bases=(), memory_mb=128),
        process=ProcessRecipe(requires=(), build=(), run=("./plain-service",)),
    )


@pytest.fixture(scope="session")
def process_runtime(k6: Path, tmp_path_factory: pytest.TempPathFactory) -> ProcessRuntime:
    runtime = ProcessRuntime(k6, tmp_path_factory.mktemp("data"), resolve_tools())
    runtime.check()
    return runtime


@pytest.fixture(scope="session")
def docker_runtime(
    k6: Path, plain_service: BuildRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DockerRuntime]:
    try:
        client = docker.from_env()
    except DockerException as error:
        pytest.skip(f"no Docker engine answers: {error}")
    bases = Bases.load(ROOT / "services/bases", "official")
    yield DockerRuntime(k6, bases, tmp_path_factory.mktemp("docker-data"))
    for slug in ("plain-service", "no-program"):
        with suppress(ImageNotFound):
            client.images.remove(f"tacho/{slug}:{plain_service.digest[:12]}", force=True)
    client.close()


@pytest.fixture(params=["process", pytest.param("docker", marks=pytest.mark.docker)])
def runtime(request: pytest.FixtureRequest) -> Runtime:
    """Return each runtime in turn: both must pass the same tests."""
    found: Runtime = request.getfixturevalue(f"{request.param}_runtime")
    return found


@pytest.fixture
def bench(runtime: Runtime, plain_service: BuildRequest) -> Iterator[Bench]:
    """Return a pod in which the plain service runs."""
    with open_bench(runtime, plain_service, new_pod_spec()) as opened:
        yield opened
