"""Large runs are cancelled and deleted with few rows, and exported with bounded memory."""

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, delete, event, insert, select, text
from sqlalchemy.orm import Session

from backend.api.results.sharing import exported_page
from backend.api.results.sharing.exported_page import Piece
from backend.api.runs.export import Suffix, list_parts
from backend.api.runs.views import results_out
from backend.core.config import Settings
from backend.core.db import new_id, unit_of_work
from backend.core.models import Cell, DeletedRun, Run, Trial
from backend.core.operations.retention.service import delete_trials_of_deleted_runs
from backend.core.results.run_results.service import read_run_results
from backend.core.runs import dependents, repository
from backend.core.runs.trials import repository as trials
from backend.core.runs.trials.service import CANCELLED_AT_ONCE, continue_cancellations
from backend.core.statuses import RunStatus, TrialStatus, Visibility
from backend.main import create_app
from backend.tests.accounts import add_user
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run, succeed_next
from backend.tests.serving import serve
from backend.tests.waiting import LIMIT_S

CELLS = 8
EXPORT_TRIALS = 40
SECONDS = 400
# Add seconds like the first second of each trial.
_MORE_SECONDS = """
    INSERT INTO sample
    SELECT (jsonb_populate_record(sample, jsonb_build_object('second', number))).*
    FROM sample CROSS JOIN generate_series(CAST(:first AS int), CAST(:last AS int)) AS number
    WHERE second = 0 AND phase = 'measure'
"""
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


def test_a_large_run_is_cancelled_in_steps_and_deleted_at_once(
    client: TestClient, host_id: UUID, large_run: str, monkeypatch: pytest.MonkeyPatch
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

    # A viewer can follow the steps.
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


@pytest.fixture
def export_slug(host_id: UUID) -> str:
    """A run of many trials with many seconds each."""
    rates = [{"rate_rps": rate} for rate in range(100, 100 * (CELLS + 1), 100)]
    with unit_of_work() as session:
        slug = ask_run(session, count=EXPORT_TRIALS // CELLS, parameters=rates).slug
        for _ in range(EXPORT_TRIALS):
            succeed_next(session, host_id, [1.0, 2.0, 3.0])
        session.execute(text(_MORE_SECONDS), {"first": 1, "last": SECONDS - 1})
    return slug


def _write(session: Session, part: Piece) -> str:
    return part if isinstance(part, str) else part(session)


def test_an_export_has_every_second_and_needs_the_memory_of_a_few_trials(
    live_url: str, export_slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exported_page, "PAGE", tmp_path / "export.html")
    exported_page.PAGE.write_text("<title>Tacho</title><!-- responses -->")
    for suffix in (Suffix.JSON, Suffix.HTML):
        size, peak = _measure_memory(export_slug, suffix)
        assert size > EXPORT_TRIALS * SECONDS * 300
        assert peak < size / 2

    answer = httpx2.get(f"{live_url}{RUNS}/{export_slug}/export.json", trust_env=False, timeout=60)

    trials = json.loads(answer.content)["trials"]
    assert len(trials) == EXPORT_TRIALS
    for trial in trials:
        seconds = [sample["second"] for sample in trial["samples"] if sample["phase"] == "measure"]
        assert seconds == list(range(SECONDS))


def _measure_memory(slug: str, suffix: Suffix) -> tuple[int, int]:
    """Return the size of an export and the most memory that it takes, in bytes."""
    with unit_of_work() as session:
        results = read_run_results(session, repository.get_run(session, slug))
        run = results_out(session, results)
        # Templates and modules are loaded once, with the first part.
        _write(session, next(iter(list_parts(run, results, suffix, "http://localhost"))))
        tracemalloc.start()
        try:
            parts = list_parts(run, results, suffix, "http://localhost")
            size = sum(len(_write(session, part)) for part in parts)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    return size, peak


def test_an_export_ends_when_the_run_becomes_private(live_url: str, export_slug: str) -> None:
    """The client has the beginning, and does not get the rest."""
    with unit_of_work() as session:
        # More than the buffers of the connection hold.
        more = {"first": SECONDS, "last": 4 * SECONDS - 1}
        session.execute(text(_MORE_SECONDS), more)
        repository.get_run(session, export_slug).visibility = Visibility.PUBLIC
        # Without a user, callers on this machine would be its owner.
        add_user(session)
    path = f"{live_url}{RUNS}/{export_slug}/export.json"
    with (
        httpx2.Client(trust_env=False, timeout=60) as client,
        client.stream("GET", path) as answer,
    ):
        pieces = answer.iter_raw(1024)
        assert next(pieces)
        with unit_of_work() as session:
            repository.get_run(session, export_slug).visibility = Visibility.PRIVATE
        refused = client.get(path)
        with pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)

    problem(refused, 404, "not_found")


def test_the_number_of_exports_at_the_same_time_is_bounded(
    database: Settings, export_slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.process.resources._EXPORTS", 1)
    monkeypatch.setattr("backend.api.process.resources._WAIT_SECONDS", 0.2)
    # A client that stops reading counts until the API closes its connection.
    monkeypatch.setattr("backend.api.http.protocol.STALL_SECONDS", 60)
    with serve(create_app()) as url, httpx2.Client(trust_env=False, timeout=LIMIT_S) as client:
        path = f"{url}{RUNS}/{export_slug}/export.json"
        with client.stream("GET", path) as first:
            pieces = first.iter_raw(1)
            next(pieces)
            refused = client.get(path)
            other = client.get(f"{url}{RUNS}")
            size = 1 + sum(map(len, pieces))
        later = client.get(path)

    assert size == len(later.content)
    problem(refused, 503, "unavailable")
    assert refused.headers["Retry-After"].isdigit()
    assert (other.status_code, later.status_code) == (200, 200)
