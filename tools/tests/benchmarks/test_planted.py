"""Services whose work per request a benchmark sets."""

import shutil
from pathlib import Path

import pytest

from backend.core.config import ROOT
from tools.benchmarks.planted import FASTIFY, NODE, PlantedService

JAVASCRIPT = Path("frameworks/javascript")


@pytest.fixture
def services(tmp_path: Path) -> Path:
    for slug in ("node", "fastify"):
        shutil.copytree(ROOT / "services" / JAVASCRIPT / slug, tmp_path / JAVASCRIPT / slug)
    return tmp_path


@pytest.mark.parametrize("service", [NODE, FASTIFY])
def test_work_is_planted_and_removed_again(services: Path, service: PlantedService) -> None:
    server = services / JAVASCRIPT / service.slug / "server.js"
    original = server.read_text()

    service.plant(services, 100, "release 1")
    worked = server.read_text()
    service.plant(services, 0, "release 2")

    assert f"work(100); {service.line}" in worked
    assert worked.count("function work(kilobytes) {\n") == 1
    assert worked.endswith("}\n// release 1\n")
    assert server.read_text() == f"{original}// release 2\n"


def test_a_service_without_the_line_is_refused(services: Path) -> None:
    with pytest.raises(ValueError, match="has no line 'gone'; correct the planted service"):
        PlantedService("node", "gone").plant(services, 100, "release 1")
