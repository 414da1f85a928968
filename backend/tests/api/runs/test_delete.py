"""GET /runs/{id}/dependents and DELETE /runs/{id}."""

from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from backend.core.db import Base, unit_of_work
from backend.core.models import Cell
from backend.core.operations.retention.service import delete_trials_of_deleted_runs
from backend.core.queue import get_redis
from backend.core.runs import dependents, repository, service
from backend.core.runs.live.event_stream import find_stream, publish
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run, claim_next, succeed_next
from backend.tests.live_events import log_event
from backend.tests.measured_runs import compare_two

# Rows of these tables stay, or do not belong to a run.
_OTHER = {"audit_event"}


def compare(host_id: UUID) -> str:
    with unit_of_work() as session:
        return compare_two(session, host_id).slug


def count_all() -> dict[str, int]:
    """Return the number of rows of each table."""
    with unit_of_work() as session:
        return {
            name: session.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
            if name not in _OTHER
        }


def test_a_deleted_run_leaves_no_rows(client: TestClient, host_id: UUID) -> None:
    compare(host_id)
    before = count_all()
    slug = compare(host_id)
    assert count_all()["sample"] > before["sample"]

    assert client.delete(f"{RUNS}/{slug}").status_code == 204

    assert count_all() == before
    assert client.get(f"{RUNS}/{slug}").status_code == 404
    assert slug not in client.get(RUNS).text


def test_live_events_are_removed_once_the_deletion_is_stored(
    client: TestClient, host_id: UUID
) -> None:
    slugs = [compare(host_id) for _ in range(2)]
    with unit_of_work() as session:
        runs = [repository.get_run(session, slug) for slug in slugs]
        deleted, other = [find_stream(session, run) for run in runs]
    for stream in (deleted, other):
        publish(stream, log_event("line"))

    with unit_of_work() as session:
        service.delete_run(session, repository.get_run(session, slugs[0]))
        session.rollback()
    assert get_redis().exists(deleted.key, other.key) == 2

    assert client.delete(f"{RUNS}/{slugs[0]}").status_code == 204

    assert not get_redis().exists(deleted.key)
    assert get_redis().exists(other.key)


def test_a_large_run_is_invisible_at_once_and_its_rows_are_deleted_in_steps(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependents, "DELETED_AT_ONCE", 9)
    compare(host_id)
    before = count_all()
    slug = compare(host_id)
    trial_id = document(client.get(f"{RUNS}/{slug}"))["trials"][0]["id"]
    stored = count_all()
    hosts = client.get("/api/v1/hosts").json()

    assert client.delete(f"{RUNS}/{slug}").status_code == 204

    assert client.get(f"{RUNS}/{slug}").status_code == 404
    for path in ("", "/series", "/logs"):
        assert client.get(f"/api/v1/trials/{trial_id}{path}").status_code == 404
    assert client.get("/api/v1/hosts").json() == hosts
    left = {"trial", "sample", "histogram", "metric_value"}
    assert count_all() == before | {name: stored[name] for name in left} | {"deleted_run": 1}

    with unit_of_work() as session:
        assert dependents.delete_left_trials(session, 4)
    assert count_all()["trial"] == before["trial"] + 6
    with unit_of_work() as session:
        # The second call finds that no trial is left.
        assert delete_trials_of_deleted_runs(session)
        assert delete_trials_of_deleted_runs(session)
        assert not delete_trials_of_deleted_runs(session)
    assert count_all() == before


def test_dependents_are_listed_before_the_deletion(client: TestClient, host_id: UUID) -> None:
    slug = compare(host_id)
    with unit_of_work() as session:
        cells = [str(cell.id) for cell in session.scalars(select(Cell))]
        run = repository.get_run(session, slug)
        again_slug = service.repeat_run(session, run.workspace_id, run).slug
    saved = client.post("/api/v1/comparisons", json={"cells": cells})
    assert saved.status_code == 201, saved.text

    found = document(client.get(f"{RUNS}/{slug}/dependents"))
    assert found == {
        "trials": 10,
        "changes": 0,
        "host_events": 0,
        "scheduled_runs": 0,
        "reruns": 1,
        "snapshots": 1,
    }
    assert client.delete(f"{RUNS}/{slug}").status_code == 204

    assert count_all()["snapshot"] == 1
    assert document(client.get(f"{RUNS}/{again_slug}"))["rerun_of"] is None


def test_a_run_that_has_not_ended_is_not_deleted(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2).slug
        succeed_next(session, host_id)
        claim_next(session, host_id)
    before = count_all()

    refused = problem(client.delete(f"{RUNS}/{slug}"), 409, "conflict")

    assert refused["detail"] == f"Run {slug} has not ended. Cancel it first, then delete it."
    assert count_all() == before
