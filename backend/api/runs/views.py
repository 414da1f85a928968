"""Runs as the API shows them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy.orm import Session

from backend.addresses import group_page, run_page
from backend.api.runs.schemas import (
    CellOut,
    GateOut,
    GroupRef,
    LoadHostNetworkOut,
    PrecisionGoal,
    Progress,
    ResultBlockOut,
    ResultGroupOut,
    RunGoalOut,
    RunIn,
    RunListItem,
    RunOut,
    SloCheckOut,
    StudyRef,
    TrialOut,
    WarmUpsOut,
)
from backend.api.schemas import FrameworkRef, VerdictOut
from backend.api.views import summaries_of, verdict_out
from backend.core.documents import CellRequest, Precision, RunGoal, RunRequest
from backend.core.measurement.measurements.verdicts import NO_PROBLEM
from backend.core.models import Run, Trial
from backend.core.people.access.viewer import PUBLIC, Viewer
from backend.core.results.cell_result import RunCellResult
from backend.core.results.run_results.goal_sentence import describe_run_goal
from backend.core.results.run_results.groups import ResultBlock, ResultGroup
from backend.core.results.run_results.service import RunResults, read_run_results
from backend.core.results.slos import SloCheck, check_run
from backend.core.runs import repository
from backend.core.runs.load_hosts import find_names, list_networks
from backend.core.runs.progress import measure_progress
from backend.core.runs.queue.waiting import QueuePlace, find_places
from backend.core.runs.queue.work import ExpectedWork, expect_work, measure_current_seconds
from backend.core.runs.removal import find_removal
from backend.core.runs.status import RUN_ENDS, STAGES
from backend.core.runs.trials import repository as trials
from backend.core.statuses import GoalState, RunStatus, TrialStatus, Visibility
from backend.core.units import METRICS, Metric, Purpose, Verdict

_DEFAULT_TRIALS = 5
_DEFAULT_MAX_TRIALS = 20
_DEFAULT_MAX_MINUTES = 30


def new_run(body: RunIn) -> RunRequest:
    """Return the run that a request describes, without any check."""
    return RunRequest(
        cells=[
            CellRequest(
                cell.framework,
                cell.scenario,
                cell.profile,
                cell.parameters,
                framework_digest=cell.framework_digest,
            )
            for cell in body.cells
        ],
        trials=None if body.until else body.trials or _DEFAULT_TRIALS,
        goal=_goal(body),
        seed=body.seed,
        title=body.title,
        host=body.host,
        hosts=None if body.hosts == "any" else body.hosts,
        load_hosts=body.load_hosts,
        visibility=Visibility(body.visibility),
        purpose=Purpose(body.purpose or Purpose.COMPARISON),
    )


def _goal(body: RunIn) -> RunGoal | None:
    if body.until is None:
        return None
    precision = None
    if not isinstance(body.until, str):
        precision = Precision(body.until.metric, body.until.precision_percent)
    return RunGoal(
        max_trials=body.max_trials or _DEFAULT_MAX_TRIALS,
        max_minutes=body.max_minutes or _DEFAULT_MAX_MINUTES,
        precision=precision,
    )


def goal_fields(goal: RunGoal | None) -> dict[str, object]:
    """Return the fields of a request that describe its goal."""
    if goal is None:
        return {}
    limits = {"max_trials": goal.max_trials, "max_minutes": goal.max_minutes}
    return {"until": _until(goal), **limits}


def _until(goal: RunGoal) -> Literal["ranked"] | PrecisionGoal:
    if goal.precision is None:
        return "ranked"
    return PrecisionGoal(metric=goal.precision.metric, precision_percent=goal.precision.percent)


def run_list(session: Session, runs: Sequence[Run], viewer: Viewer) -> list[RunListItem]:
    """Return runs for a list: without cells and trials.

    Other runs on the host count if the viewer sees them.
    """
    counts = trials.count_trials(session, [run.id for run in runs])
    places = find_places(session, runs, viewer)
    names = read_load_host_names(session, runs)
    return [
        make_run_item(run, run_progress(run, counts[run.id], places.get(run.id)), names, viewer)
        for run in runs
    ]


def read_load_host_names(session: Session, runs: Iterable[Run]) -> Mapping[str, str]:
    """Return the present names of all load hosts of runs, by queue. Revoked hosts are left out."""
    queues = {queue for run in runs for queue in run.load_hosts}
    return find_names(session, queues) if queues else {}


def make_run_item(
    run: Run, progress: Progress, names: Mapping[str, str], viewer: Viewer
) -> RunListItem:
    """Return a run as in a list, whose progress is known.

    Args:
        names: of load hosts, by queue.
    """
    among = {cell.framework.slug: cell.framework for cell in run.cells}
    scenarios = {cell.scenario.slug: cell.scenario for cell in run.cells}
    return RunListItem.of(
        run,
        permalink=run_page(run.slug),
        group=_group_ref(run, viewer),
        load_hosts=[names.get(queue, queue) for queue in run.load_hosts],
        frameworks=list(among.values()),
        scenarios=list(scenarios.values()),
        goal=_goal_out(run),
        progress=progress,
        study=StudyRef.of(run) if run.study else None,
        requested_by=run.requested_by if viewer.workspace == run.workspace_id else None,
        cancel_requested=run.cancel_requested_at is not None,
    )


def run_item(session: Session, run: Run, viewer: Viewer) -> RunListItem:
    """Return a run as in a list."""
    (item,) = run_list(session, [run], viewer)
    return item


def run_out(session: Session, run: Run, viewer: Viewer = PUBLIC) -> RunOut:
    """Return a whole run: its cells, groups and gate, and its trials with their metrics.

    Args:
        viewer: whose other runs it may link to and count. Default: an anonymous visitor's,
            because an export or an event stream may be passed on to anyone.
    """
    return results_out(session, read_run_results(session, run, is_ranked=False), viewer)


def results_out(session: Session, results: RunResults, viewer: Viewer = PUBLIC) -> RunOut:
    """Return a whole run whose results are known; see `run_out`."""
    run = results.run
    names = read_load_host_names(session, [run])
    return RunOut.of(
        make_run_item(run, read_progress(session, run, viewer), names, viewer),
        networks=networks_out(session, run),
        seed=run.seed,
        removal=find_removal(run),
        rerun_of=repository.find_linkable(session, run.rerun_of_id, viewer),
        environment=results.environment,
        cells=[
            _cell_out(result, results.cell_environments.get(result.cell.id, {}))
            for result in results.cells
        ],
        groups=[_group_out(group) for group in results.groups],
        blocks=[_block_out(block) for block in results.blocks],
        gate=_read_gate(session, results),
        is_own=viewer.workspace == run.workspace_id,
        finalization_failure=None if run.finalization_error is None else run,
        trials=[trial_out(trial, results.metrics.get(trial.id, {})) for trial in run.trials],
    )


def networks_out(session: Session, run: Run) -> list[LoadHostNetworkOut]:
    """Return the network of each load host of a run; empty without load hosts."""
    networks = list_networks(session, run.id) if run.load_hosts else []
    return [LoadHostNetworkOut.of(network) for network in networks]


def read_progress(session: Session, run: Run, viewer: Viewer = PUBLIC) -> Progress:
    """Return how far a run that was loaded with its trials is.

    Args:
        viewer: whose runs are counted ahead of it in the queue.
    """
    counts = Counter(trial.status for trial in run.trials)
    is_queued = run.status == RunStatus.QUEUED
    place = find_places(session, [run], viewer).get(run.id) if is_queued else None
    return run_progress(run, counts, place, _current_start(run))


def _current_start(run: Run) -> datetime | None:
    return next((trial.started_at for trial in run.trials if trial.status in STAGES), None)


def are_seconds_stored(run: RunOut) -> bool:
    """Return whether the seconds of a run are stored."""
    return run.removal is None or run.removal.seconds_at is None


def _read_gate(session: Session, results: RunResults) -> GateOut | None:
    """Return the checks of an ended run against the limits; None if no limit applies."""
    run = results.run
    if run.status not in RUN_ENDS:
        return None
    checks = check_run(session, run.workspace_id, results.cells)
    if not checks:
        return None
    return GateOut(
        passed=all(check.passed for check in checks), checks=[_check_out(check) for check in checks]
    )


def _check_out(check: SloCheck) -> SloCheckOut:
    info = METRICS[check.slo.metric]
    return SloCheckOut.of(check, unit=info.unit, direction=info.direction)


def run_progress(
    run: Run,
    counts: Mapping[TrialStatus, int],
    place: QueuePlace | None,
    began_at: datetime | None = None,
) -> Progress:
    """Return how far a run is; see `progress_out`."""
    return progress_out(expect_work(run), counts, place, began_at)


def progress_out(
    work: ExpectedWork,
    counts: Mapping[TrialStatus, int],
    place: QueuePlace | None,
    began_at: datetime | None = None,
) -> Progress:
    """Return how far a run is.

    Args:
        counts: status to number of trials.
        place: in the queue; None for a run that is not queued.
        began_at: when its current trial started.
    """
    elapsed = measure_current_seconds(began_at)
    progress = measure_progress(counts, work.trial_seconds, elapsed, work.most_trials)
    return Progress.of(
        progress,
        queue_position=None if place is None else place.runs,
        estimated_seconds_until_start=None if place is None else place.seconds,
    )


def cell_framework_ref(result: RunCellResult) -> FrameworkRef:
    """Return the framework of a cell with the name that it has in the run."""
    return FrameworkRef.of(result.framework, name=result.name)


def _cell_out(result: RunCellResult, environment: Mapping[str, Any]) -> CellOut:
    """Return a cell with its estimates and verdicts.

    Args:
        environment: the part that not all cells of the run share.
    """
    cell, summary = result.cell, result.summary
    return CellOut.of(
        cell,
        framework=cell_framework_ref(result),
        environment=environment,
        trials_succeeded=summary.trials_succeeded,
        trials_failed=summary.trials_failed,
        excluded=summary.excluded,
        verdicts=[
            verdict_out(Verdict(warning["verdict"]), warning["detail"], warning["trials"])
            for warning in summary.verdicts
        ],
        warm_ups=_warm_ups_out(result),
        summary=summaries_of(result.estimates),
    )


def _warm_ups_out(result: RunCellResult) -> WarmUpsOut | None:
    """Return how the succeeded trials of a cell warmed up; None without a recorded warm-up."""
    warm_ups = [
        trial.warm_up
        for trial in result.trials
        if trial.status == TrialStatus.SUCCEEDED and trial.warm_up is not None
    ]
    if not warm_ups:
        return None
    outcomes = [warm_up["is_steady"] for warm_up in warm_ups]
    return WarmUpsOut(
        shortest_seconds=min(warm_up["seconds"] for warm_up in warm_ups),
        longest_seconds=max(warm_up["seconds"] for warm_up in warm_ups),
        cap_seconds=warm_ups[0]["cap_seconds"],
        steady=outcomes.count(True),
        unsteady=outcomes.count(False),
        untested=outcomes.count(None),
        reasons=list(dict.fromkeys(warm_up["detail"] for warm_up in warm_ups)),
    )


def _group_out(group: ResultGroup) -> ResultGroupOut:
    return ResultGroupOut.of(group, cells=[result.cell.id for result in group.cells])


def _block_out(block: ResultBlock) -> ResultBlockOut:
    return ResultBlockOut.of(block, groups=[group.key for group in block.groups])


def trial_out(trial: Trial, metrics: Mapping[Metric, float]) -> TrialOut:
    return TrialOut.of(trial, verdicts=trial_verdicts(trial), metrics=metrics)


def trial_verdicts(trial: Trial) -> list[VerdictOut]:
    """Return the verdicts of a trial; `ok` if no check found a problem."""
    verdicts = trial.verdicts
    if not verdicts and trial.status == TrialStatus.SUCCEEDED:
        verdicts = [{"verdict": Verdict.OK, "detail": NO_PROBLEM}]
    return [verdict_out(verdict["verdict"], verdict["detail"], 1) for verdict in verdicts]


def _goal_out(run: Run) -> RunGoalOut | None:
    goal, judgement = run.goal, run.goal_judgement
    if goal is None:
        return None
    return RunGoalOut.model_validate(
        goal_fields(goal)
        | {
            "state": judgement.state if judgement else GoalState.OPEN,
            "blocks": judgement.blocks if judgement else 0,
            "more_trials": judgement.more_trials if judgement else None,
            "sentence": describe_run_goal(run),
        }
    )


def _group_ref(run: Run, viewer: Viewer) -> GroupRef | None:
    if run.group_slug is None or viewer.workspace != run.workspace_id:
        return None
    return GroupRef(slug=run.group_slug, permalink=group_page(run.group_slug))
