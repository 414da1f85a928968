"""Example data: runs measured elsewhere, loaded so that a fresh installation has something to show.

They keep their ids, slugs and times, say where they are from in host and title, and go again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.comparison.summaries import write_summaries
from backend.core.models import (
    Cell,
    Framework,
    Host,
    MetricValue,
    Run,
    Sample,
    Scenario,
    Trial,
    TrialHistogram,
)
from backend.core.runs import repository
from backend.core.studies.bundle import make_row, read_bundle

FOLDER = Path("studies") / "examples"


@dataclass(frozen=True)
class Example:
    """One bundle; `loaded` says whether its run is here, `left_out` counts cells that this
    catalogue has no framework or scenario for.
    """

    slug: str
    title: str
    study: str | None
    host: str
    loaded: bool
    left_out: int = 0


def list_examples(session: Session, services_dir: Path) -> list[Example]:
    """Every bundle of the folder, by its run's study."""
    found = []
    for path in _bundles(services_dir):
        document = read_bundle(path)
        run = document["run"]
        loaded = repository.find_run(session, run["id"]) is not None
        found.append(_example(document, loaded=loaded))
    return found


def load_examples(session: Session, services_dir: Path) -> list[Example]:
    """Load what is not here yet; loading twice changes nothing."""
    # Two may ask at once.
    key = func.hashtextextended("tacho.examples", 0)
    session.execute(select(func.pg_advisory_xact_lock(key)))
    loaded = []
    for path in _bundles(services_dir):
        document = read_bundle(path)
        left_out = 0
        if repository.find_run(session, document["run"]["id"]) is None:
            left_out = _load(session, document)
        loaded.append(_example(document, loaded=True, left_out=left_out))
    return loaded


def remove_examples(session: Session) -> int:
    """Remove all example data; returns how many runs went."""
    removed = session.scalars(delete(Run).where(Run.example).returning(Run.id)).all()
    session.execute(delete(Host).where(Host.example))
    return len(removed)


def _bundles(services_dir: Path) -> Sequence[Path]:
    return sorted((services_dir / FOLDER).glob("*.json.gz"))


def _example(document: dict[str, Any], *, loaded: bool, left_out: int = 0) -> Example:
    run = document["run"]
    host = document["host"]["name"]
    return Example(run["slug"], run["title"], run["study"], host, loaded, left_out)


def _load(session: Session, document: dict[str, Any]) -> int:
    host = _put_host(session, document["host"])
    row = document["run"]
    title = f"{row['title']}, example from {document['host']['name']}"
    run = make_row(
        Run,
        row,
        host_id=host.id,
        title=title,
        example=True,
        visibility="public",
        finalized_at=row["finished_at"],
    )
    session.add(run)
    session.flush()
    frameworks = catalog.find_frameworks(session, {one["framework"] for one in document["cells"]})
    scenarios = catalog.find_scenarios(session, {one["scenario"] for one in document["cells"]})
    cells = [
        _make_cell(one, run, frameworks[one["framework"]], scenarios[one["scenario"]])
        for one in document["cells"]
        if one["framework"] in frameworks and one["scenario"] in scenarios
    ]
    session.add_all(cells)
    session.flush()
    known = {str(cell.id) for cell in cells}
    for trial in document["trials"]:
        if trial["cell_id"] in known:
            _put_trial(session, trial, run, host)
    session.flush()
    session.expire_all()
    write_summaries(session, repository.get_run(session, str(run.id)))
    return len(document["cells"]) - len(cells)


def _make_cell(row: dict[str, Any], run: Run, framework: Framework, scenario: Scenario) -> Cell:
    # The relationships of the row stand under these names.
    columns = {name: value for name, value in row.items() if name not in {"framework", "scenario"}}
    return make_row(
        Cell, columns, run_id=run.id, framework_id=framework.id, scenario_id=scenario.id
    )


def _put_trial(session: Session, row: dict[str, Any], run: Run, host: Host) -> None:
    trial = make_row(Trial, row, run_id=run.id, host_id=host.id)
    session.add(trial)
    session.flush()
    session.add_all(
        MetricValue(trial_id=trial.id, metric=metric, value=value)
        for metric, value in row["metrics"].items()
    )
    session.add_all(make_row(Sample, sample, trial_id=trial.id) for sample in row["samples"])
    if row["histogram"] is not None:
        session.add(make_row(TrialHistogram, row["histogram"], trial_id=trial.id))


def _put_host(session: Session, row: dict[str, Any]) -> Host:
    """A host of its own name, so that no run of this installation is ever queued for it."""
    name = f"{row['name']} (example)"
    host = catalog.find_host(session, name)
    if host is None:
        host = Host(**row | {"name": name}, example=True, unavailable={})
        session.add(host)
        session.flush()
    return host
