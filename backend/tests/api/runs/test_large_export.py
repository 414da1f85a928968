"""Exports of a large run use bounded memory, and their number is limited."""

import json
import tracemalloc
from pathlib import Path
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from backend.api.results.sharing import exported_page
from backend.api.results.sharing.exported_page import Piece
from backend.api.runs.export import Suffix, list_parts
from backend.api.runs.views import results_out
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.results.run_results.service import read_run_results
from backend.core.runs import repository
from backend.core.statuses import Visibility
from backend.main import create_app
from backend.tests.accounts import add_user
from backend.tests.answers import problem
from backend.tests.asking import RUNS
from backend.tests.factories import ask_run, succeed_next
from backend.tests.serving import serve
from backend.tests.waiting import LIMIT_S

CELLS = 8
TRIALS = 40
SECONDS = 400
# Add seconds like the first second of each trial.
_MORE_SECONDS = """
    INSERT INTO sample
    SELECT (jsonb_populate_record(sample, jsonb_build_object('second', number))).*
    FROM sample CROSS JOIN generate_series(CAST(:first AS int), CAST(:last AS int)) AS number
    WHERE second = 0 AND phase = 'measure'
"""


@pytest.fixture
def slug(host_id: UUID) -> str:
    """A run of many trials with many seconds each."""
    rates = [{"rate_rps": rate} for rate in range(100, 100 * (CELLS + 1), 100)]
    with unit_of_work() as session:
        slug = ask_run(session, count=TRIALS // CELLS, parameters=rates).slug
        for _ in range(TRIALS):
            succeed_next(session, host_id, [1.0, 2.0, 3.0])
        session.execute(text(_MORE_SECONDS), {"first": 1, "last": SECONDS - 1})
    return slug


def _write(session: Session, part: Piece) -> str:
    return part if isinstance(part, str) else part(session)


@pytest.mark.parametrize("suffix", [Suffix.JSON, Suffix.HTML])
def test_an_export_needs_the_memory_of_a_few_trials(
    slug: str, suffix: Suffix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exported_page, "PAGE", tmp_path / "export.html")
    exported_page.PAGE.write_text("<title>Tacho</title><!-- responses -->")
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

    assert size > TRIALS * SECONDS * 300
    assert peak < size / 2


def test_a_large_export_holds_every_second_of_every_trial(live_url: str, slug: str) -> None:
    answer = httpx2.get(f"{live_url}{RUNS}/{slug}/export.json", trust_env=False, timeout=60)

    trials = json.loads(answer.content)["trials"]
    assert len(trials) == TRIALS
    for trial in trials:
        seconds = [sample["second"] for sample in trial["samples"] if sample["phase"] == "measure"]
        assert seconds == list(range(SECONDS))


def test_an_export_ends_when_the_run_becomes_private(live_url: str, slug: str) -> None:
    """The client has the beginning, and does not get the rest."""
    with unit_of_work() as session:
        # More than the buffers of the connection hold.
        more = {"first": SECONDS, "last": 4 * SECONDS - 1}
        session.execute(text(_MORE_SECONDS), more)
        repository.get_run(session, slug).visibility = Visibility.PUBLIC
        # Without a user, callers on this machine would be its owner.
        add_user(session)
    path = f"{live_url}{RUNS}/{slug}/export.json"
    with (
        httpx2.Client(trust_env=False, timeout=60) as client,
        client.stream("GET", path) as answer,
    ):
        pieces = answer.iter_raw(1024)
        assert next(pieces)
        with unit_of_work() as session:
            repository.get_run(session, slug).visibility = Visibility.PRIVATE
        refused = client.get(path)
        with pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)

    problem(refused, 404, "not_found")


def test_the_number_of_exports_at_the_same_time_is_bounded(
    database: Settings, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.api.process.resources._EXPORTS", 1)
    monkeypatch.setattr("backend.api.process.resources._WAIT_SECONDS", 0.2)
    # A client that stops reading counts until the API closes its connection.
    monkeypatch.setattr("backend.api.http.protocol.STALL_SECONDS", 60)
    with serve(create_app()) as url, httpx2.Client(trust_env=False, timeout=LIMIT_S) as client:
        path = f"{url}{RUNS}/{slug}/export.json"
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
