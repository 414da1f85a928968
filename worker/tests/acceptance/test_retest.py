"""Earlier builds are measured again by their digests, side by side."""

from pathlib import Path

from sqlalchemy import update
from sqlalchemy.orm import Session

from backend.core.db import make_engine
from backend.core.models import Cell
from backend.core.units import Purpose
from worker.benchmarks.api import Document, describe
from worker.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell

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


def read_builds(stack: Stack, run: Document) -> list[dict[str, str]]:
    """Return the build that the trial of each cell reports."""
    trials = {trial["cell_id"]: trial["id"] for trial in run["trials"]}
    details = [stack.api.get(f"/trials/{trials[shown['id']]}") for shown in run["cells"]]
    return [detail["environment"]["builds"] for detail in details]


def test_an_earlier_build_runs_again_and_a_removed_build_is_reported(
    stack: Stack, services: Path
) -> None:
    server = services / "frameworks/javascript/node/server.js"
    source = server.read_text()
    (old,) = read_builds(stack, measure(stack))
    try:
        server.write_text(f"{source}// another build\n")
        (new,) = read_builds(stack, measure(stack))
        assert old.keys() == new.keys() == {"node"}
        assert old != new

        again = measure(stack, [old, new, {"node": "0" * 64}])
    finally:
        server.write_text(source)

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
