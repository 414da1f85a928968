"""`tacho cancel` against a real server."""

from collections.abc import Callable

import pytest
from typer.testing import Result

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Run
from backend.core.runs.groups import create_runs
from backend.tests.factories import HOST, add_host, ask_run, first_workspace


@pytest.fixture(autouse=True)
def _hosts(database: Settings) -> None:
    with unit_of_work() as session:
        add_host(session)
        add_host(session, "bench-02")


def list_statuses() -> set[str]:
    with unit_of_work() as session:
        return {run.status for run in session.query(Run)}


def test_a_run_is_cancelled(tacho: Callable[..., Result]) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, host=HOST).slug

    done = tacho("cancel", slug)

    assert (done.exit_code, done.stdout) == (0, f"{slug} on {HOST}: cancelled\n")
    assert list_statuses() == {"cancelled"}


def test_all_runs_of_a_group_are_cancelled(tacho: Callable[..., Result]) -> None:
    request = RunRequest([CellRequest("node", "hello")], 2, hosts=[HOST, "bench-02"])
    with unit_of_work() as session:
        group = create_runs(session, first_workspace(session), request).group_slug
    assert group is not None

    done = tacho("cancel", "--group", group)

    assert [line.partition(" ")[2] for line in done.stdout.splitlines()] == [
        f"on {HOST}: cancelled",
        "on bench-02: cancelled",
    ]
    assert list_statuses() == {"cancelled"}


def test_an_unknown_run_is_refused(tacho: Callable[..., Result]) -> None:
    refused = tacho("cancel", "nothing")

    assert refused.exit_code == 2
    assert "There is no run 'nothing'" in refused.output
