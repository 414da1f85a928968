"""`tacho delete` against a real server."""

from collections.abc import Callable
from uuid import UUID

from typer.testing import Result

from backend.core.db import unit_of_work
from backend.tests.factories import ask_run
from backend.tests.measured_runs import compare_two
from backend.tests.rows import count_rows


def test_a_run_is_deleted_after_a_confirmation(tacho: Callable[..., Result], host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = compare_two(session, host_id).slug

    kept = tacho("delete", slug, answer="n\n")
    assert (kept.exit_code, count_rows()[0]) == (2, 1)
    assert "10 trials, with seconds, logs and charts" in kept.output

    deleted = tacho("delete", slug, answer="y\n")
    assert (deleted.exit_code, count_rows()) == (0, (0, 0, 0))


def test_a_script_deletes_without_a_question(tacho: Callable[..., Result], host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = compare_two(session, host_id).slug

    assert tacho("delete", slug, "--yes").stdout.endswith(f"Run {slug} is deleted.\n")
    assert count_rows() == (0, 0, 0)


def test_a_run_that_has_not_ended_is_refused(tacho: Callable[..., Result], host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2).slug

    refused = tacho("delete", slug, "--yes")

    assert refused.exit_code == 2
    assert "Cancel it first, then delete it." in refused.output
