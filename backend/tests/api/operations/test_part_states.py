"""GET /health lists the parts that `tacho up` supervises."""

import pytest
from fastapi.testclient import TestClient

from backend.core.config import Settings
from backend.platform.layout import Layout
from backend.platform.load_generator import LoadGeneratorBuildFile
from backend.platform.processes.part_states import PartState
from backend.tests.stopped_parts import write_stopped_worker

HEALTH = "/api/v1/health"


@pytest.fixture
def stopping_worker(database: Settings) -> PartState:
    return write_stopped_worker(Layout(database.data), "This worker does not start.")


def test_a_part_that_keeps_stopping_is_listed_with_its_log(
    client: TestClient, stopping_worker: PartState
) -> None:
    [part] = client.get(HEALTH).json()["parts"]
    assert part["name"] == "worker"
    assert part["status"] == "down"
    assert part["restarts"] == 7
    assert part["reason"] == "ended with exit code 1"
    assert part["last_lines"] == ["This worker does not start."]


def test_callers_without_the_token_do_not_see_the_log(
    client: TestClient, stopping_worker: PartState, token: str
) -> None:
    [part] = client.get(HEALTH).json()["parts"]
    assert part["reason"] == "ended with exit code 1"
    assert part["last_lines"] == []


def test_an_unreadable_state_does_not_break_health(
    client: TestClient, stopping_worker: PartState, database: Settings
) -> None:
    Layout(database.data).part_states.write_text("{")
    assert client.get(HEALTH).json()["parts"] == []


def test_a_load_generator_that_is_being_built_is_reported(
    client: TestClient, database: Settings
) -> None:
    assert client.get(HEALTH).json()["load_generator"] is None
    file = LoadGeneratorBuildFile(Layout(database.data).load_generator_build)
    file.write(0.5)
    try:
        build = client.get(HEALTH).json()["load_generator"]
        assert build == {"host": database.bench_host, "remaining_seconds": 0}
    finally:
        file.remove()
