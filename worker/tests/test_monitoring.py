"""Workers and the dispatcher count trials and tasks, and serve the numbers over HTTP."""

import socket
from collections.abc import Callable

import httpx
import pytest
from sqlalchemy import text

from backend.core.db import unit_of_work
from backend.core.errors import LoadGeneratorDied
from backend.core.runs.status import STAGES
from backend.core.runs.trials import service as trials
from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from backend.platform.logs.monitoring import REGISTRY, serve_metrics
from backend.platform.network import find_free_port
from backend.tests.factories import add_host, ask_run, succeed_next
from backend.version import VERSION
from worker.dispatcher.app import PERIODIC_TASKS, PeriodicTask, run_task
from worker.dispatcher.tasks import judge_and_finalize
from worker.pipeline.reporter import Reporter
from worker.stages.assignment import Assignment
from worker.tests.pipeline.conftest import assignment

__all__ = ["assignment"]


def count(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0


def test_a_trial_that_succeeds_counts_with_its_stages(assignment: Assignment) -> None:
    before = count("tacho_trials_total", result="succeeded", cause="")
    stages = count("tacho_trial_stage_seconds_count", stage="measuring")
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)
    reporter.begin()
    assert count("tacho_worker_trials_running") == 1
    for stage in STAGES[1:]:
        reporter.enter(stage)
    reporter.end(TrialStatus.SUCCEEDED)
    reporter.close()

    assert count("tacho_trials_total", result="succeeded", cause="") == before + 1
    assert count("tacho_trial_stage_seconds_count", stage="measuring") == stages + 1
    assert count("tacho_worker_trials_running") == 0


@pytest.mark.parametrize(
    ("end", "labels"),
    [
        (
            lambda reporter: reporter.fail(
                trials.describe_failure(LoadGeneratorDied("It died."), "building")
            ),
            {"result": "repeated", "cause": "load_generator"},
        ),
        (Reporter.give_back, {"result": "returned", "cause": ""}),
    ],
    ids=["of a load generator that died", "of a worker that stops"],
)
def test_a_trial_that_does_not_succeed_counts_with_its_end(
    assignment: Assignment, end: Callable[[Reporter], None], labels: dict[str, str]
) -> None:
    before = count("tacho_trials_total", **labels)
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)
    end(reporter)
    reporter.close()

    assert count("tacho_trials_total", **labels) == before + 1


@pytest.mark.usefixtures("database")
def test_a_finalized_run_is_counted() -> None:
    before = count("tacho_runs_finalized_total")
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session)
        succeed_next(session, host.id)
    judge_and_finalize()

    assert count("tacho_runs_finalized_total") == before + 1


@pytest.mark.usefixtures("database")
def test_the_duration_of_a_task_is_counted_with_its_result() -> None:
    def fail() -> None:
        raise RuntimeError("a fault")

    before = [
        count("tacho_task_seconds_count", task="host.notify", result=result)
        for result in ("success", "failure")
    ]
    (task,) = [task for task in PERIODIC_TASKS if task.name == "host.notify"]
    run_task(task)
    with pytest.raises(RuntimeError, match="a fault"):
        run_task(PeriodicTask("host.notify", fail, 10))

    assert before == [
        count("tacho_task_seconds_count", task="host.notify", result=result) - 1
        for result in ("success", "failure")
    ]


@pytest.mark.usefixtures("database")
def test_connections_to_the_database_are_counted() -> None:
    before = count("tacho_database_connections_in_use")
    with unit_of_work() as session:
        session.execute(text("SELECT 1"))
        assert count("tacho_database_connections_in_use") == before + 1

    assert count("tacho_database_connections_in_use") == before
    assert count("tacho_database_connections") == 15


def test_the_metrics_are_served_at_the_endpoint() -> None:
    port = find_free_port()
    server = serve_metrics(f"127.0.0.1:{port}", "TACHO_WORKER_METRICS")
    assert server is not None
    try:
        answer = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False)
    finally:
        server.shutdown()
        server.server_close()

    assert answer.status_code == 200
    assert f'tacho_build_info{{version="{VERSION}"}} 1.0' in answer.text
    assert "tacho_trials_total" in answer.text


def test_an_endpoint_in_use_is_logged_with_its_setting(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert serve_metrics(f"127.0.0.1:{port}", "TACHO_WORKER_METRICS") is None

    assert "Set TACHO_WORKER_METRICS to a free port" in caplog.text
