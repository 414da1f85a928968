"""Earlier builds are measured again by their digests, side by side."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.core.db import make_engine
from backend.core.models import Cell, Framework
from backend.core.units import Purpose
from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within

_CELL = cell("node", duration_seconds=1)


def measure(stack: Stack, builds: list[dict[str, str]] | None = None) -> Document:
    """Return the ended run of node × hello: one cell with the source of the catalogue, or one for
    each build."""
    if builds is None:
        return stack.api.await_run(stack.create_run([_CELL]), 120)
    stack.stop("worker")
    # Only a calibration may have equal cells.
    run = stack.create_run([_CELL] * len(builds), purpose=Purpose.CALIBRATION)
    engine = make_engine(stack.database_url)
    with Session(engine) as session, session.begin():
        for shown, build in zip(run["cells"], builds, strict=True):
            session.execute(update(Cell).where(Cell.id == shown["id"]).values(builds=build))
    engine.dispose()
    stack.start_worker()
    return stack.api.await_run(run, 120)


@contextmanager
def changed(stack: Stack, file: Path) -> Iterator[None]:
    """Change a file of node, and change it back. Each time, wait until the catalogue has it."""
    before, source = read_digest(stack), file.read_text()
    file.write_text(f"{source}// another build\n")
    try:
        assert is_true_within(60, lambda: read_digest(stack) != before)
        yield
    finally:
        file.write_text(source)
        assert is_true_within(60, lambda: read_digest(stack) == before)


def read_digest(stack: Stack) -> str | None:
    """Return the digest of node in the catalogue."""
    engine = make_engine(stack.database_url)
    with Session(engine) as session:
        digest = session.scalar(select(Framework.digest).where(Framework.slug == "node"))
    engine.dispose()
    return digest


def read_builds(stack: Stack, run: Document) -> list[dict[str, str]]:
    """Return the build that the trial of each cell reports."""
    trials = {trial["cell_id"]: trial["id"] for trial in run["trials"]}
    details = [stack.api.get(f"/trials/{trials[shown['id']]}") for shown in run["cells"]]
    return [detail["environment"]["builds"] for detail in details]


def test_an_earlier_build_runs_again_and_a_removed_build_is_reported(
    stack: Stack, services: Path
) -> None:
    server = services / "frameworks/javascript/node/server.js"
    (old,) = read_builds(stack, measure(stack))
    with changed(stack, server):
        (new,) = read_builds(stack, measure(stack))
        assert old.keys() == new.keys() == {"node"}
        assert old != new

        again = measure(stack, [old, new, {"node": "0" * 64}])

    statuses = {trial["cell_id"]: trial["status"] for trial in again["trials"]}
    assert [statuses[shown["id"]] for shown in again["cells"]] == [
        "succeeded",
        "succeeded",
        "failed",
    ], describe(again)
    again["cells"].pop()
    assert read_builds(stack, again) == [old, new]
    (failure,) = [trial["failure"] for trial in again["trials"] if trial["failure"]]
    assert failure["code"] == "build_gone"
    assert "000000000000 of node" in failure["detail"]
