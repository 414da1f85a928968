"""A run of 10,000 trials is cancelled and deleted by requests that touch few rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, delete, event, insert, select, text, update

from backend.core.db import new_id, unit_of_work
from backend.core.models import Cell, DeletedRun, Run, Trial
from backend.core.operations.retention.service import delete_trials_of_deleted_runs
from backend.core.runs import dependents, repository
from backend.core.runs.trials import repository as trials
from backend.core.runs.trials.service import CANCELLED_AT_ONCE, continue_cancellations
from backend.core.statuses import RunStatus, TrialStatus
from backend.tests.answers import document
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run

TRIALS = 10_000
# Of the whole request, with the session, the rights and the answer.
MOST_STATEMENTS = 60
MOST_ROWS = 1_000


@dataclass
class Work:
    """Statements, and the rows that they returned or changed."""

    statements: int = 0
    rows: int = 0


@contextmanager
def counted_work() -> Iterator[Work]:
    work = Work()

    def count(_connection: Any, cursor: Any, *_: Any) -> None:
        work.statements += 1
        work.rows += max(0, cursor.rowcount)

    event.listen(Engine, "after_cursor_execute", count)
    try:
        yield work
    finally:
        event.remove(Engine, "after_cursor_execute", count)


@pytest.fixture
def large_run(client: TestClient, host_id: UUID) -> Iterator[str]:
    """The slug of a queued run of 10,000 trials."""
    with unit_of_work() as session:
        run = ask_run(session)
        slug, run_id = run.slug, run.id
        cell_id = session.scalars(select(Cell.id).where(Cell.run_id == run_id)).first()
        session.execute(delete(Trial).where(Trial.run_id == run_id))
        session.execute(
            insert(Trial),
            [
                {
                    "id": new_id(),
                    "run_id": run_id,
                    "cell_id": cell_id,
                    "host_id": host_id,
                    "repetition": position + 1,
                    "position": position,
                    "status": TrialStatus.QUEUED,
                }
                for position in range(TRIALS)
            ],
        )
    yield slug
    with unit_of_work() as session:
        session.execute(delete(Trial).where(Trial.run_id == run_id))
        session.execute(delete(Run).where(Run.id == run_id))
        session.execute(delete(DeletedRun))


def read_trials(slug: str) -> dict[str, int]:
    """Return the number of trials by status."""
    with unit_of_work() as session:
        run = repository.get_run_head(session, slug)
        return {str(key): n for key, n in trials.count_trials(session, [run.id])[run.id].items()}


def read_versions() -> list[Any]:
    """Return the version of each row of `trial`, which every change replaces."""
    with unit_of_work() as session:
        return list(session.execute(text("SELECT ctid::text, xmin::text FROM trial ORDER BY id")))


def end(slug: str) -> None:
    with unit_of_work() as session:
        run_id = repository.get_run_head(session, slug).id
        session.execute(
            update(Trial).where(Trial.run_id == run_id).values(status=TrialStatus.CANCELLED)
        )
        session.execute(update(Run).where(Run.id == run_id).values(status=RunStatus.CANCELLED))


def test_a_large_run_is_cancelled_in_steps_that_a_viewer_can_follow(
    client: TestClient, host_id: UUID, large_run: str
) -> None:
    with counted_work() as work:
        cancelled = document(client.post(f"{RUNS}/{large_run}/cancel"))

    assert work.statements <= MOST_STATEMENTS
    assert work.rows <= MOST_ROWS
    assert cancelled["cancel_requested"]
    first = CANCELLED_AT_ONCE
    assert read_trials(large_run) == {"cancelled": first, "queued": TRIALS - first}
    with unit_of_work() as session:
        assert trials.claim_next(session, host_id, 75) is None

    seen = [cancelled["progress"]["trials_finished"]]
    while True:
        with unit_of_work() as session:
            if not continue_cancellations(session):
                break
        listed = document(client.get(RUNS))["items"]
        progress = next(run for run in listed if run["slug"] == large_run)["progress"]
        assert progress["trials_total"] == TRIALS
        seen.append(progress["trials_finished"])

    assert seen == list(range(first, TRIALS + 1, first))
    with unit_of_work() as session:
        run = repository.get_run_head(session, large_run)
        assert run.status is RunStatus.CANCELLED
        assert run.finished_at is not None


def test_a_large_run_is_deleted_at_once_and_its_trials_later(
    client: TestClient, large_run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    end(large_run)
    before = read_versions()

    with counted_work() as work:
        answer = client.delete(f"{RUNS}/{large_run}")

    assert answer.status_code == 204
    assert work.statements <= MOST_STATEMENTS
    assert work.rows <= MOST_ROWS
    assert read_versions() == before
    assert client.get(f"{RUNS}/{large_run}").status_code == 404
    assert large_run not in client.get(RUNS).text

    # A dispatcher that ends in the middle leaves the rest to the next.
    with unit_of_work() as session:
        assert dependents.delete_left_trials(session, 4_000)
        session.rollback()
    monkeypatch.setattr("backend.core.operations.retention.service.DELETED_TRIALS", 4_000)
    steps = 0
    while True:
        with unit_of_work() as session:
            if not delete_trials_of_deleted_runs(session):
                break
        steps += 1
    assert steps == 4
    assert len(read_versions()) == len(before) - TRIALS
    with unit_of_work() as session:
        assert session.scalars(select(DeletedRun)).all() == []
