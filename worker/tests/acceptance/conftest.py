"""One complete Tacho per runtime, whose catalogue also contains cheating and failing services.

All tests must pass in both runtimes. Docker needs an engine, and an image registry
or mmdebstrap.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.core.config import ROOT
from backend.core.units import RuntimeKind
from tools.benchmarks.api import ENDS
from tools.benchmarks.stack import Stack
from worker.runtime.docker.engine import connect
from worker.runtime.errors import RuntimeUnavailable
from worker.tests.acceptance.cells import add_slow_script
from worker.tests.acceptance.cheats import copy_lies

_HERE = Path(__file__).parent
FIXTURES = ROOT / "worker/tests/fixtures"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder with `acceptance`."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.acceptance)


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue, with the services that cheat or fail, and one with databases."""
    folder = tmp_path_factory.mktemp("catalogue") / "services"
    shutil.copytree(ROOT / "services", folder)
    for group in ("cheating", "troubled"):
        shutil.copytree(FIXTURES / group, folder / "frameworks" / group)
    shutil.copytree(FIXTURES / "with-databases", folder / "frameworks/databases/with-databases")
    copy_lies(FIXTURES, folder / "frameworks" / "lies")
    add_slow_script(folder)
    return folder


@pytest.fixture(
    scope="session",
    params=[RuntimeKind.PROCESS, pytest.param(RuntimeKind.DOCKER, marks=pytest.mark.docker)],
)
def runtime(request: pytest.FixtureRequest) -> RuntimeKind:
    """Each runtime in turn."""
    kind: RuntimeKind = request.param
    if kind is RuntimeKind.DOCKER:
        try:
            connect().close()
        except RuntimeUnavailable as error:
            pytest.skip(error.detail)
    return kind


@pytest.fixture(scope="session")
def shared_stack(
    runtime: RuntimeKind, services: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """The Tacho that all tests of a runtime share."""
    data = tmp_path_factory.mktemp(f"data-{runtime}")
    environment = {
        "TACHO_SERVICES_DIR": str(services),
        "TACHO_K6_SUMMARY": "1",
        "TACHO_READY_SECONDS": "45",
        # Another address than that of the other parts.
        "TACHO_SERVICE_ADDRESS": "127.0.0.2",
    }
    with Stack(data, runtime, f"acceptance-{runtime}-{os.getpid()}", environment) as running:
        yield running


@pytest.fixture
def stack(shared_stack: Stack) -> Iterator[Stack]:
    """The shared Tacho, complete and idle before and after each test."""
    _make_whole(shared_stack)
    yield shared_stack
    _make_whole(shared_stack)
    for run in shared_stack.api.get("/runs")["items"]:
        if run["status"] not in ENDS:
            shared_stack.api.cancel_run(run)
            shared_stack.api.await_run(run, 60)


def _make_whole(stack: Stack) -> None:
    for name, start in (
        ("broker", stack.start_redis),
        ("dispatcher", stack.start_dispatcher),
        ("worker", stack.start_worker),
    ):
        if not stack.is_running(name):
            start()
