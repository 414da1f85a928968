"""POST /runs/{id}/cancel and /rerun."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from backend.core.db import unit_of_work
from backend.core.documents import RunGoal
from backend.core.models import Framework
from backend.core.runs.progress import OVERHEAD_SECONDS
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS
from backend.tests.factories import HOST, add_host, ask_run, claim_next, succeed_next
from backend.tests.rows import count_rows, count_wake_up_messages


@pytest.fixture
def absent_framework(host_id: UUID) -> Iterator[str]:
    """A framework whose folder was removed after it was measured."""

    def set_present(present: bool) -> None:
        with unit_of_work() as session:
            session.execute(
                update(Framework).where(Framework.slug == "fastapi").values(present=present)
            )

    with unit_of_work() as session:
        slug = ask_run(session, ["fastapi"]).slug
    set_present(False)
    yield slug
    set_present(True)


def test_a_queued_run_is_cancelled_at_once(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=3).slug

    run = document(client.post(f"{RUNS}/{slug}/cancel"))

    assert (run["status"], run["cancel_requested"]) == ("cancelled", True)
    shown = document(client.get(f"{RUNS}/{slug}"))
    assert {trial["status"] for trial in shown["trials"]} == {"cancelled"}
    assert run["progress"]["share"] == 1
    assert run["finished_at"] is not None
    # Cancelling twice has no further effect.
    assert document(client.post(f"{RUNS}/{slug}/cancel")) == run
    with unit_of_work() as session:
        assert trials.claim_next(session, host_id) is None


def test_the_trial_of_a_running_run_sees_the_cancellation(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=3).slug
        trial_id = claim_next(session, host_id).id

    run = document(client.post(f"{RUNS}/{slug}/cancel"))

    assert (run["status"], run["cancel_requested"]) == ("running", True)
    shown = document(client.get(f"{RUNS}/{slug}"))
    statuses = [trial["status"] for trial in shown["trials"]]
    assert statuses == ["building", "cancelled", "cancelled"]
    with unit_of_work() as session:
        assert repository.renew_lease(session, trial_id, 1, 30) == (True, True)


def test_a_cancelled_run_with_a_goal_gets_no_further_trials(
    client: TestClient, host_id: UUID
) -> None:
    goal = RunGoal(max_trials=10, max_minutes=60)
    with unit_of_work() as session:
        running, queued = (
            ask_run(session, ["node", "go-nethttp"], count=None, goal=goal) for _ in range(2)
        )
        slugs = running.slug, queued.slug
        claim_next(session, host_id)

    ending, ended = (document(client.post(f"{RUNS}/{slug}/cancel")) for slug in slugs)

    # Only the trial under way is left, not the trials up to the limits of the goal.
    assert ending["status"] == "running"
    assert ending["progress"]["estimated_seconds_left"] <= 30 + 10 + OVERHEAD_SECONDS
    assert ended["status"] == "cancelled"
    assert ended["progress"]["estimated_seconds_left"] is None
    assert ended["progress"]["share"] == 1


def test_a_run_that_has_ended_cannot_be_cancelled(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session).slug
        succeed_next(session, host_id)

    told = problem(client.post(f"{RUNS}/{slug}/cancel"), 409, "conflict")

    assert told["detail"] == f"Run {slug} has ended as succeeded; there is nothing to cancel."
    for action in ("cancel", "rerun"):
        problem(client.post(f"{RUNS}/nothing/{action}"), 404, "not_found")


def test_a_rerun_is_a_new_run(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-00")
        first = ask_run(
            session,
            ["node", "go-nethttp"],
            host=HOST,
            count=2,
            title="Again and again",
            visibility="public",
            parameters={"rate_rps": 7},
            profile="rate-full",
        )

    answer = client.post(f"{RUNS}/{first.slug}/rerun")

    queued = document(answer, 202)
    assert answer.headers["location"] == f"{RUNS}/{queued['id']}"
    again = document(client.get(answer.headers["location"]))
    assert again["rerun_of"] == str(first.id)
    assert again["slug"] != first.slug
    assert again["seed"] != first.seed
    before = document(client.get(f"{RUNS}/{first.slug}"))
    for key in ("title", "host", "visibility", "trials_per_cell", "frameworks", "scenarios"):
        assert again[key] == before[key]
    for key in ("framework", "scenario", "profile", "parameters"):
        assert [cell[key] for cell in again["cells"]] == [cell[key] for cell in before["cells"]]
    assert again["progress"]["queue_position"] == 1
    assert count_rows() == (2, 4, 8)
    assert count_wake_up_messages(HOST) == 2


def test_a_removed_framework_cannot_be_run_again(client: TestClient, absent_framework: str) -> None:
    named = faults(client.post(f"{RUNS}/{absent_framework}/rerun"))

    assert list(named) == ["cells.0.framework"]
    assert count_rows() == (1, 1, 1)
    with unit_of_work() as session:
        assert session.scalars(select(Framework.name).where(Framework.slug == "fastapi")).one()
    assert document(client.get(f"{RUNS}/{absent_framework}"))["frameworks"][0]["slug"] == "fastapi"
