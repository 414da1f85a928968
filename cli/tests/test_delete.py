"""`tacho delete` against a real server."""

from uuid import UUID

from typer.testing import CliRunner, Result

from backend.core.db import unit_of_work
from backend.tests.factories import ask_run
from backend.tests.measured_runs import compare_two
from backend.tests.rows import count_rows
from cli import app


def delete(live_url: str, slug: str, *options: str, answer: str = "") -> Result:
    words = ["delete", slug, *options, "--url", live_url]
    return CliRunner().invoke(app, words, input=answer)


def test_a_run_is_deleted_after_a_confirmation(live_url: str, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = compare_two(session, host_id).slug

    kept = delete(live_url, slug, answer="n\n")
    assert (kept.exit_code, count_rows()[0]) == (2, 1)
    assert "10 trials, with seconds, logs and charts" in kept.output

    deleted = delete(live_url, slug, answer="y\n")
    assert (deleted.exit_code, count_rows()) == (0, (0, 0, 0))


def test_a_script_deletes_without_a_question(live_url: str, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = compare_two(session, host_id).slug

    assert delete(live_url, slug, "--yes").stdout.endswith(f"Run {slug} is deleted.\n")
    assert count_rows() == (0, 0, 0)


def test_a_run_that_has_not_ended_is_refused(live_url: str, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2).slug

    refused = delete(live_url, slug, "--yes")

    assert refused.exit_code == 2
    assert "Cancel it first, then delete it." in refused.output
