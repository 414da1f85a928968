"""`tacho show`, `export` and `rerun` against a real server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import Result

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Cell, Run
from backend.tests.api.results.comparisons.test_compare import measure
from backend.tests.factories import HOST, add_host, ask_run, succeed_next
from backend.tests.rows import count_rows


@pytest.fixture
def slug(database: Settings) -> str:
    """The slug of a queued run with one trial."""
    with unit_of_work() as session:
        add_host(session)
        return ask_run(session, host=HOST).slug


def succeed() -> None:
    with unit_of_work() as session:
        succeed_next(session, add_host(session).id)


def test_a_run_is_shown_while_it_goes_on_and_at_its_end(
    tacho: Callable[..., Result], live_url: str, slug: str
) -> None:
    queued = tacho("show", slug)
    succeed()
    ended = tacho("show", slug)

    assert (queued.exit_code, ended.exit_code) == (0, 0)
    address, state = queued.stdout.splitlines()
    assert address.endswith(f"{live_url}/r/{slug}")
    assert state.startswith(f"queued on {HOST}: 0 of 1 trial ended, about ")
    assert "Node.js" in ended.stdout
    assert "Not usable." in ended.stdout


@pytest.mark.parametrize("suffix", ["json", "seconds.csv"])
def test_a_run_is_exported_in_the_format_of_the_file(
    tacho: Callable[..., Result], slug: str, tmp_path: Path, suffix: str
) -> None:
    succeed()
    file = tmp_path / f"result.{suffix}"

    done = tacho("export", slug, str(file))

    text = file.read_text(encoding="utf-8")
    assert (done.exit_code, done.stdout) == (0, f"{file}: {len(text.encode()):,} bytes.\n")
    assert "node" in text.lower()
    assert list(tmp_path.iterdir()) == [file]


def test_an_export_never_replaces_a_file_and_leaves_none_after_a_fault(
    tacho: Callable[..., Result], slug: str, tmp_path: Path
) -> None:
    taken, free = tmp_path / "taken.csv", tmp_path / "free.csv"
    taken.write_text("mine")

    exists = tacho("export", slug, str(taken))
    unknown = tacho("export", "nothing", str(free))
    ending = tacho("export", slug, str(tmp_path / "result.xlsx"))
    folder = tacho("export", slug, str(tmp_path / "missing" / "result.csv"))

    assert [ended.exit_code for ended in (exists, unknown, ending, folder)] == [2, 2, 2, 1]
    assert "taken.csv exists" in exists.output
    assert "There is no run 'nothing'" in unknown.output
    assert "end the name with one of .json, .seconds.csv, .csv, .md, .html, .bib" in ending.output
    assert "cannot be written: No such file or directory" in folder.output
    assert taken.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [taken]


def test_a_run_is_queued_again(tacho: Callable[..., Result], live_url: str, slug: str) -> None:
    done = tacho("rerun", slug)

    assert done.exit_code == 0, done.output
    assert f"{live_url}/r/" in done.stdout
    assert slug not in done.stdout
    assert count_rows() == (2, 2, 2)


def test_a_run_of_another_tacho_is_repeated_in_the_same_order(
    tacho: Callable[..., Result], live_url: str, slug: str
) -> None:
    done = tacho("rerun", f"{live_url}/r/{slug}")
    wrong = tacho("rerun", f"{live_url}/hosts/{slug}")

    assert done.exit_code == 0
    with unit_of_work() as session:
        first, again = session.scalars(select(Run).order_by(Run.created_at))
        assert (again.seed, again.title) == (first.seed, first.title)
        loads = session.scalars(select(Cell.parameters)).all()
        assert loads[0] == loads[1]
    assert wrong.exit_code == 2
    assert "give the address of a run" in wrong.stderr


def test_a_framework_is_recommended_and_the_missing_results_are_queued(
    tacho: Callable[..., Result], live_url: str, database: Settings
) -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
    measure(host_id, frameworks=("node", "go-nethttp"))
    asked = ("choose", "hello", "node", "go-nethttp", "--matters", "latency")

    known = tacho(*asked)
    missing = tacho(*asked, "express")
    queued = tacho(*asked, "express", "--measure")
    refused = tacho("choose", "hello", "node")

    assert known.exit_code == 0
    assert known.stdout.startswith("Choose Node.js: it is fastest by latency p99, 2")
    assert "Express is not measured." in missing.stdout
    assert "with --measure: at most" in missing.stdout
    assert f"{live_url}/r/" in queued.stdout
    assert refused.exit_code == 2
    assert "Name at least two frameworks" in refused.stderr
