"""Check that a bundle decides the headline claims of its study; pure."""

from uuid import UUID

from backend.core.catalog.study import StudyManifest
from backend.core.documents import JsonObject
from backend.core.models import Cell, Framework, Host, Run, Scenario, Trial
from backend.core.operations.examples.bundle import make_row
from backend.core.operations.examples.bundle_check import BundleFault
from backend.core.operations.examples.rejudging import judge_trials_again, list_measured_seconds
from backend.core.results.cell_summary import summarise_run
from backend.core.results.studies.claims import judge_claim
from backend.core.results.studies.findings import EXPLAINED, ClaimFinding
from backend.core.results.studies.measured import Reproduction
from backend.core.results.studies.service import measure_run
from backend.core.units import Metric


def find_open_claims(bundle: JsonObject, study: StudyManifest) -> list[BundleFault]:
    """Return a fault for each headline claim that has neither a finding nor a cause.

    The calibration of the host is not applied, so a claim may be open although it passes here.

    Args:
        bundle: of one run, which reproduces the study.
    """
    run = read_reproduction(bundle)
    faults = []
    for claim in study.claims:
        result = judge_claim(claim, study, run)
        is_open = result.finding is ClaimFinding.UNDECIDED and result.cause not in EXPLAINED
        if claim.headline and is_open:
            cause = "" if result.cause is None else f" ({result.cause.words})"
            reason = result.deciding.reason if result.deciding else None
            detail = f"does not decide the headline claim {claim.words!r}{cause}"
            faults.append(BundleFault(None, detail + (f": {reason}" if reason else "")))
    return faults


def read_reproduction(bundle: JsonObject) -> Reproduction:
    """Return the results of a bundle of one run that reproduces a study."""
    trials = judge_trials_again(bundle, bundle)
    rows = {UUID(trial["id"]): trial for trial in trials}
    run = make_row(Run, bundle["run"])
    run.host = Host(name=bundle["host"]["name"])
    run.cells = [_make_cell(cell) for cell in bundle["cells"]]
    run.trials = [make_row(Trial, trial) for trial in trials]
    metrics = {
        trial_id: {Metric(metric): value for metric, value in trial["metrics"].items()}
        for trial_id, trial in rows.items()
    }
    results = summarise_run(run, metrics).cells
    return measure_run(run, results, lambda trial: list_measured_seconds(rows[trial.id]))


def _make_cell(row: JsonObject) -> Cell:
    """Return a cell with its framework and scenario, of which a bundle has only the slugs."""
    columns = {name: value for name, value in row.items() if name not in {"framework", "scenario"}}
    cell = make_row(Cell, columns)
    cell.framework = Framework(slug=row["framework"], name=row["framework"], colour=0)
    cell.scenario = Scenario(slug=row["scenario"])
    return cell
