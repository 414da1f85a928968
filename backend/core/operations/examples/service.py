"""Example data: runs from another installation, so that a new installation has results to show.

The runs keep their ids, slugs and times. Host and title name their origin. They can be removed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.study import StudyManifest
from backend.core.documents import JsonObject
from backend.core.errors import InvalidRequest
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
from backend.core.numbers import count_of
from backend.core.operations.examples.bundle import (
    CHECKED_VERSION,
    list_runs,
    make_row,
    read_bundle,
    read_row,
)
from backend.core.operations.examples.bundle_check import find_bundle_faults
from backend.core.operations.examples.rejudging import judge_trials_again
from backend.core.operations.examples.schedule_bundle import load_findings, remove_findings
from backend.core.people.audit.recording import record
from backend.core.results.cell_charts import write_charts
from backend.core.results.cell_summary import write_summaries
from backend.core.row_insert import insert_rows
from backend.core.runs import repository
from backend.core.units import Purpose

FOLDER = Path("studies") / "examples"


@dataclass(frozen=True)
class Example:
    """One bundle; `slug` is that of its newest run, and `run_slugs` has its calibration too.

    `loaded` is whether its run is loaded. `left_out` counts cells whose framework or scenario is
    not in this catalogue.
    """

    slug: str
    title: str
    study: str | None
    host: str
    loaded: bool
    run_slugs: Sequence[str]
    left_out: int = 0


def list_examples(session: Session, services_dir: Path) -> list[Example]:
    """Return every bundle of the folder, ordered by file name."""
    found = []
    for path in _bundles(services_dir):
        example = _describe(path, path.stat().st_mtime_ns)
        loaded = repository.find_run(session, example.slug) is not None
        found.append(replace(example, loaded=loaded))
    return found


def load_examples(session: Session, workspace_id: UUID, services_dir: Path) -> list[Example]:
    """Load bundles that are not loaded yet into a workspace; loading twice changes nothing.

    Raises:
        InvalidRequest: a bundle breaks the rules; nothing is loaded.
    """
    # Two requests may arrive at the same time.
    key = func.hashtextextended("tacho.examples", 0)
    session.execute(select(func.pg_advisory_xact_lock(key)))
    loaded = []
    for path in _bundles(services_dir):
        bundle = read_bundle(path)
        left_out = 0
        if repository.find_run(session, _newest_run(bundle)["id"]) is None:
            _check(session, path, bundle)
            left_out = _load(session, workspace_id, bundle)
        loaded.append(_example(bundle, loaded=True, left_out=left_out))
    return loaded


def remove_examples(session: Session) -> int:
    """Remove all example data and return the number of removed runs without calibrations."""
    remove_findings(session)
    of_examples = select(Run.id).where(Run.example)
    session.execute(delete(Trial).where(Trial.run_id.in_(of_examples)))
    removed = session.scalars(delete(Run).where(Run.example).returning(Run)).all()
    session.execute(delete(Host).where(Host.example))
    for run in removed:
        record(
            session,
            "run.deleted",
            ("run", str(run.id)),
            workspace_id=run.workspace_id,
            before={"slug": run.slug, "title": run.title},
        )
    return sum(run.purpose != Purpose.CALIBRATION for run in removed)


@lru_cache(maxsize=64)
def _describe(path: Path, _changed_ns: int) -> Example:
    """Return a bundle as if it was not loaded. A file is read again when it has changed."""
    return _example(read_bundle(path), loaded=False)


def _bundles(services_dir: Path) -> Sequence[Path]:
    return sorted((services_dir / FOLDER).glob("*.json.gz"))


def _newest_run(bundle: JsonObject) -> JsonObject:
    """Return the run that stands for a bundle in lists: the newest of a schedule."""
    runs = [item["run"] for item in list_runs(bundle)]
    compared = [run for run in runs if run["purpose"] == Purpose.COMPARISON]
    newest: JsonObject = max(compared or runs, key=lambda run: run["created_at"])
    return newest


def _example(bundle: JsonObject, *, loaded: bool, left_out: int = 0) -> Example:
    run = _newest_run(bundle)
    slugs = [item["run"]["slug"] for item in list_runs(bundle)]
    calibration = bundle.get("calibration")
    return Example(
        slug=run["slug"],
        title=run["title"] if len(slugs) == 1 else f"{run['title']}, {len(slugs)} runs",
        study=run["study"],
        host=bundle["host"]["name"],
        loaded=loaded,
        run_slugs=[*slugs, calibration["run"]["slug"]] if calibration else slugs,
        left_out=left_out,
    )


def _check(session: Session, path: Path, bundle: JsonObject) -> None:
    """Raise InvalidRequest if a bundle breaks the rules of newly recorded bundles."""
    if bundle.get("version", 1) < CHECKED_VERSION:
        return
    slug = _newest_run(bundle)["study"]
    study = catalog.find_study(session, slug) if slug else None
    manifest = StudyManifest.model_validate(study.manifest) if study else None
    faults = find_bundle_faults(bundle, manifest)
    if faults:
        shown = "; ".join(f"{fault.result or 'the run'} {fault.detail}" for fault in faults[:3])
        raise InvalidRequest(
            f"{path.name}: {shown} ({count_of(len(faults), 'fault')}). Record it again on a quiet "
            "machine; `make check-examples` lists all faults.",
            [{"field": fault.result or path.name, "detail": fault.detail} for fault in faults],
        )


def _load(session: Session, workspace_id: UUID, bundle: JsonObject) -> int:
    host = _put_host(session, bundle["host"])
    calibration = bundle.get("calibration")
    # Bundles that were recorded together have the same one.
    if calibration and repository.find_run(session, calibration["run"]["id"]) is None:
        _load_run(session, workspace_id, bundle, calibration, host)
    left_out = sum(_load_run(session, workspace_id, bundle, run, host) for run in list_runs(bundle))
    if "schedule" in bundle:
        load_findings(session, workspace_id, bundle, host)
    return left_out


def _load_run(
    session: Session, workspace_id: UUID, bundle: JsonObject, packed_run: JsonObject, host: Host
) -> int:
    row = packed_run["run"]
    title = f"{row['title']}, example from {bundle['host']['name']}"
    run = make_row(
        Run,
        row,
        workspace_id=workspace_id,
        host_id=host.id,
        title=title,
        example=True,
        visibility="public",
        finalized_at=row["finished_at"],
    )
    session.add(run)
    session.flush()
    frameworks = catalog.find_frameworks(
        session, {cell["framework"] for cell in packed_run["cells"]}
    )
    scenarios = catalog.find_scenarios(session, {cell["scenario"] for cell in packed_run["cells"]})
    cells = [
        _make_cell(cell, run, frameworks[cell["framework"]], scenarios[cell["scenario"]])
        for cell in packed_run["cells"]
        if cell["framework"] in frameworks and cell["scenario"] in scenarios
    ]
    session.add_all(cells)
    session.flush()
    known = {str(cell.id) for cell in cells}
    judged = judge_trials_again(bundle, packed_run)
    trials = [trial for trial in judged if trial["cell_id"] in known]
    _put_trials(session, trials, run, host)
    session.expire_all()
    write_summaries(session, repository.get_run(session, str(run.id)))
    write_charts(session, run.id)
    return len(packed_run["cells"]) - len(cells)


def _make_cell(row: JsonObject, run: Run, framework: Framework, scenario: Scenario) -> Cell:
    # These names are relationships of the model.
    columns = {name: value for name, value in row.items() if name not in {"framework", "scenario"}}
    return make_row(
        Cell, columns, run_id=run.id, framework_id=framework.id, scenario_id=scenario.id
    )


def _put_trials(session: Session, rows: Sequence[JsonObject], run: Run, host: Host) -> None:
    session.add_all(make_row(Trial, row, run_id=run.id, host_id=host.id) for row in rows)
    session.flush()
    session.add_all(
        make_row(TrialHistogram, row["histogram"], trial_id=row["id"])
        for row in rows
        if row["histogram"] is not None
    )
    session.flush()
    nothing = dict.fromkeys(Sample.__table__.columns.keys())
    samples = [
        nothing | read_row(Sample, sample, trial_id=row["id"])
        for row in rows
        for sample in row["samples"]
    ]
    metrics = [
        {"trial_id": UUID(row["id"]), "metric": metric, "value": value}
        for row in rows
        for metric, value in row["metrics"].items()
    ]
    insert_rows(session, {Sample: samples, MetricValue: metrics})


def _put_host(session: Session, row: JsonObject) -> Host:
    """Return the host of a bundle under a separate name, so that no run is ever queued for it.

    Bundles share it if its hardware and its harness were the same, so that the calibration of one
    bundle counts for the others.
    """
    state = row["fingerprint_digest"], row.get("harness", {})
    number, name = 1, f"{row['name']} (example)"
    while (host := catalog.find_host(session, name)) is not None:
        if (host.fingerprint_digest, host.harness) == state:
            return host
        number += 1
        name = f"{row['name']} (example {number})"
    host = Host(**row | {"name": name, "queue": name}, example=True)
    session.add(host)
    session.flush()
    return host
