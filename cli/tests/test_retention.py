"""`tacho retention` and `tacho archive` against a real server."""

from collections.abc import Callable

import pytest
from sqlalchemy import select
from typer.testing import Result

from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Run
from backend.tests.factories import add_host
from backend.tests.measured_runs import compare_two


@pytest.fixture
def slug(database: Settings) -> str:
    with unit_of_work() as session:
        slug = compare_two(session, add_host(session).id, trials=1).slug
    finalize_runs()
    return slug


def is_archived() -> bool:
    with unit_of_work() as session:
        return session.scalars(select(Run.seconds_removed_at)).one() is not None


def test_a_run_is_archived_after_a_confirmation(tacho: Callable[..., Result], slug: str) -> None:
    kept = tacho("archive", slug, answer="n\n")
    assert (kept.exit_code, is_archived()) == (2, False)
    assert "Its charts stay." in kept.output

    archived = tacho("archive", slug, "--yes")
    assert (archived.exit_code, is_archived()) == (0, True)
    assert "Seconds were removed on" in archived.stdout


def test_retention_is_shown_and_set(tacho: Callable[..., Result]) -> None:
    shown = tacho("retention")
    assert shown.stdout == "Seconds are kept for ever, logs for ever.\n"

    of_all = tacho("retention", "--installation", "--seconds", "90")
    assert of_all.stdout == "Seconds are kept for 90 days, logs for ever.\n"
    own = tacho("retention", "--logs", "1")
    assert own.stdout == "Seconds are kept for 90 days, logs for 1 day.\n"
    again = tacho("retention", "--seconds", "30")
    assert again.stdout == "Seconds are kept for 30 days, logs for 1 day.\n"
    back = tacho("retention", "--seconds", "forever", "--logs", "forever")
    assert back.stdout == "Seconds are kept for 90 days, logs for ever.\n"


def test_wrong_numbers_of_days_are_refused(tacho: Callable[..., Result]) -> None:
    for days in ("0", "soon", "-3", "36501"):
        refused = tacho("retention", f"--seconds={days}")
        assert refused.exit_code == 2, days
        assert "seconds" in refused.output
    tacho("retention", "--installation", "--seconds", "90")
    too_long = tacho("retention", "--seconds", "91")
    assert (too_long.exit_code, "at most 90" in too_long.output) == (2, True)
