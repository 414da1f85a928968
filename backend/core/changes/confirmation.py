"""Start and judge confirmation runs, which measure the builds before and after a change."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.changes import repository
from backend.core.changes.announcement import announce_confirmed
from backend.core.changes.detection import LAST_POINTS
from backend.core.changes.lifecycle import (
    ChangeJudgement,
    Levels,
    find_least,
    judge_confirmation,
    plan_pairs,
)
from backend.core.changes.series import key_of
from backend.core.config import get_settings
from backend.core.documents import CellRequest, RunRequest
from backend.core.errors import (
    Conflict,
    InvalidRequest,
    LimitExceeded,
    TooLarge,
    Unavailable,
)
from backend.core.measurement.instrument.service import find_run_error
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.verdicts import EXCLUDING_FROM_HISTORY
from backend.core.measurement.statistics.comparison import Instrument
from backend.core.models import Change, Host, Run, Trial
from backend.core.people.audit.recording import act_as_tacho
from backend.core.runs import repository as runs
from backend.core.runs.load_hosts import list_names
from backend.core.runs.service import create_run
from backend.core.runs.visibility import STRICTEST_FIRST
from backend.core.statuses import ChangeStatus, TrialStatus
from backend.core.units import METRICS, Purpose

# Maximum number of points next to a change whose mean is the level.
_LEVEL_POINTS = 20
REASON_LENGTH = 1000


def begin_confirmations(session: Session, changes: Sequence[Change]) -> None:
    """Start a confirmation run for new changes; changes of the same two cells share a run.

    A change that cannot be tested stays suspected, and its reason explains why.
    """
    groups: dict[tuple[UUID, UUID], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.before_cell_id, change.after_cell_id), []).append(change)
    most = get_settings().confirmation_pairs
    for group in groups.values():
        if most == 0:
            reason = "Automatic confirmation runs are off (TACHO_CONFIRMATION_PAIRS)."
            for change in group:
                settle(change, ChangeStatus.SUSPECTED, reason)
        else:
            begin_confirmation(session, group, _plan(session, group, most), may_share=True)
    session.flush()


def begin_confirmation(
    session: Session, changes: Sequence[Change], pairs: int, *, may_share: bool
) -> None:
    """Queue a run of the builds before and after these changes, which share both cells.

    Equal builds need no experiment: a shift between them is host drift.

    Args:
        may_share: whether to use a confirmation run of the same builds that was made for another
            metric.
    """
    first = changes[0]
    before = repository.find_builds(session, first.before_cell_id)
    after = repository.find_builds(session, first.after_cell_id)
    status, reason, run = ChangeStatus.SUSPECTED, "", None
    if before is None or after is None:
        reason = "Its trials were recorded without their builds, so they cannot be run again."
    elif before == after:
        status = ChangeStatus.HOST_DRIFT
        reason = "The build is the same before and after, so the service did not change."
    else:
        try:
            builds = [before, after]
            run = _find_or_queue(session, first, builds, pairs, may_share=may_share)
        except (Conflict, InvalidRequest, LimitExceeded, TooLarge, Unavailable) as error:
            reason = f"It cannot be tested: {error.detail}"
        else:
            status = ChangeStatus.TESTING
            reason = (
                f"The builds before and after run side by side in {run.trials_per_cell} pairs of "
                "trials."
            )
    for change in changes:
        settle(change, status, reason)
        if run is not None:
            change.confirmation_run_id = run.id
            change.confirmation_ratio = change.confirmation_low = change.confirmation_high = None
            change.confirmation_pairs = None
    session.flush()
    if run is not None and run.finalized_at is not None:
        finalize_confirmation(session, runs.get_run(session, str(run.id)))


def finalize_confirmation(session: Session, run: Run) -> None:
    """Judge the changes that an ended confirmation run tested, and announce those confirmed.

    Args:
        run: with its cells (old build first) and its trials.
    """
    changes = repository.list_testing(session, run.id)
    values = measurements.list_metrics(session, [trial.id for trial in run.trials])
    failed = [trial.failure.detail for trial in run.trials if trial.failure]
    instrument, kind = find_run_error(session, run), run.cells[0].kind
    for change in changes:
        metric = change.metric
        pairs = [
            (values[old.id][metric], values[new.id][metric])
            for old, new in _pair_trials(run)
            if metric in values.get(old.id, {}) and metric in values.get(new.id, {})
        ]
        levels = _read_levels(session, change)
        error = Instrument(instrument.find_ratio(metric, kind))
        direction = METRICS[metric].direction
        _apply(change, judge_confirmation(change.ratio, pairs, levels, direction, error))
        if change.status == ChangeStatus.SUSPECTED and failed:
            change.reason = f"{change.reason} {failed[0]}"[:REASON_LENGTH]
    session.flush()
    announce_confirmed(session, changes)


def settle(change: Change, status: ChangeStatus, reason: str) -> None:
    """Set the status of a change, with the reason."""
    change.status, change.reason = status, reason
    change.is_by_hand = False
    change.acknowledged_at = None
    change.changed_at = func.now()


def _plan(session: Session, changes: Sequence[Change], most: int) -> int:
    """Return the number of pairs that finds each of these changes with sufficient power.

    The ratio to find is the end of the change's interval nearest to 1: the estimate of a change
    that was just detected tends to be too large, and may include drift.
    """
    needed = []
    for change in changes:
        points = repository.list_series(session, key_of(change, change.metric), limit=LAST_POINTS)
        deviations = [point.sd_log**2 for point in points if point.sd_log is not None]
        pooled = sqrt(fmean(deviations)) if deviations else None
        least = find_least(change.ratio, change.low, change.high)
        needed.append(plan_pairs(least, pooled, most))
    return max(needed)


def _find_or_queue(
    session: Session,
    change: Change,
    builds: Sequence[dict[str, str]],
    pairs: int,
    *,
    may_share: bool,
) -> Run:
    """Return a confirmation run of these builds, found or newly queued.

    Its load comes from the same load hosts as that of the run with the change.
    Its visibility is the stricter of the two runs', because it shows numbers of both builds.
    """
    visibility = min(repository.list_visibilities(session, change), key=STRICTEST_FIRST.index)
    load_hosts = runs.list_load_hosts_of_cell(session, change.after_cell_id)
    if may_share:
        shared = repository.find_confirmation(session, change, builds, pairs, visibility)
        if shared is not None and shared.load_hosts == load_hosts:
            return shared
    short = ", ".join(
        f"{old[:8]} → {builds[1].get(slug, 'none')[:8]}"
        for slug, old in builds[0].items()
        if builds[1].get(slug) != old
    )
    request = RunRequest(
        cells=[
            CellRequest(
                change.framework, change.scenario, change.profile, dict(change.parameters), digests
            )
            for digests in builds
        ],
        trials=pairs,
        title=f"Confirmation run: {change.framework} on {change.scenario}, {short}",
        host=session.get_one(Host, change.host_id).name,
        load_hosts=list_names(session, load_hosts),
        visibility=visibility,
        purpose=Purpose.CONFIRMATION,
    )
    with act_as_tacho(session):
        return create_run(session, change.workspace_id, request)


def _pair_trials(run: Run) -> list[tuple[Trial, Trial]]:
    """Return the trials of the old and the new build for each repetition with two valid trials."""
    valid = {
        (trial.cell_id, trial.repetition): trial
        for trial in run.trials
        if trial.status == TrialStatus.SUCCEEDED
        and not any(warning["verdict"] in EXCLUDING_FROM_HISTORY for warning in trial.verdicts)
    }
    old, new = (cell.id for cell in run.cells)
    return [
        (valid[old, repetition], valid[new, repetition])
        for repetition in range(1, run.trials_per_cell + 1)
        if (old, repetition) in valid and (new, repetition) in valid
    ]


def _read_levels(session: Session, change: Change) -> Levels:
    """Return the levels before and after a change.

    They end at the neighbouring changes of the series. Dismissed changes do not count.
    """
    points = repository.list_around(session, [change], limit=_LEVEL_POINTS)[change.id]
    others = repository.list_neighbours(session, change)
    begin = max([at for at in others if at < change.at], default=None)
    end = min([at for at in others if at > change.at], default=None)
    own = [
        point
        for point in points
        if (begin is None or point.at >= begin) and (end is None or point.at < end)
    ]
    before = [point.mean_log for point in own if point.at < change.at]
    after = [point.mean_log for point in own if point.at >= change.at]
    return Levels(fmean(before), fmean(after))


def _apply(change: Change, judgement: ChangeJudgement) -> None:
    settle(change, judgement.status, judgement.reason)
    change.confirmation_pairs = judgement.pairs
    if judgement.found is not None:
        found = judgement.found
        change.confirmation_ratio, change.confirmation_low = found.ratio, found.low
        change.confirmation_high = found.high
