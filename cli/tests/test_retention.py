"""`tacho retention` and `tacho archive` against a real server."""

import pytest
from sqlalchemy import select
from typer.testing import CliRunner, Result

from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Run
from backend.tests.factories import add_host
from backend.tests.measured_runs import compare_two
from cli import app


@pytest.fixture
def slug(database: Settings) -> str:
    with unit_of_work() as session:
        slug = compare_two(session, add_host(session).id, trials=1).slug
    finalize_runs()
    return slug


def call(live_url: str, *words: str, answer: str = "") -> Result:
    return CliRunner().invoke(app, [*words, "--url", live_url], input=answer)


def is_archived() -> bool:
    with unit_of_work() as session:
        return session.scalars(select(Run.seconds_removed_at)).one() is not None


def test_a_run_is_archived_after_a_confirmation(live_url: str, slug: str) -> None:
    kept = call(live_url, "archive", slug, answer="n\n")
    assert (kept.exit_code, is_archived()) == (2, False)
    assert "Its charts stay." in kept.output

    archived = call(live_url, "archive", slug, "--yes")
    assert (archived.exit_code, is_archived()) == (0, True)
    assert "Seconds were removed on" in archived.stdout


@pytest.mark.usefixtures("database")
def test_retention_is_shown_and_set(live_url: str) -> None:
    shown = call(live_url, "retention")
    assert shown.stdout == "Seconds are kept for ever, logs for ever.\n"

    of_all = call(live_url, "retention", "--installation", "--seconds", "90")
    assert of_all.stdout == "Seconds are kept for 90 days, logs for ever.\n"
    own = call(live_url, "retention", "--logs", "1")
    assert own.stdout == "Seconds are kept for 90 days, logs for 1 day.\n"
    again = call(live_url, "retention", "--seconds", "30")
    assert again.stdout == "Seconds are kept for 30 days, logs for 1 day.\n"
    back = call(live_url, "retention", "--seconds", "forever", "--logs", "forever")
    assert back.stdout == "Seconds are kept for 90 days, logs for ever.\n"


@pytest.mark.usefixtures("database")
def test_wrong_numbers_of_days_are_refused(live_url: str) -> None:
    for days in ("0", "soon", "-3", "36501"):
        refused = call(live_url, "retention", f"--seconds={days}")
        assert refused.exit_code == 2, days
        assert "seconds" in refused.output
    call(live_url, "retention", "--installation", "--seconds", "90")
    too_long = call(live_url, "retention", "--seconds", "91")
    assert (too_long.exit_code, "at most 90" in too_long.output) == (2, True)
