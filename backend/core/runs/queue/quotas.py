"""Check that a workspace may queue further trials, and return what it uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    DateTime,
    Float,
    Uuid,
    bindparam,
    cast,
    extract,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.core.documents import Parameters
from backend.core.errors import LimitExceeded, TooLarge
from backend.core.models import Cell, Run, Trial, Workspace
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.status import TRIAL_ENDS

BENCH_WINDOW = timedelta(hours=24)
# The queue changes at the latest when its next trial ends; most trials take less.
_QUEUE_SECONDS = 60.0

# The statements are written once, because writing them takes as long as a part of their execution.
_WORKSPACE = bindparam("workspace_id", type_=Uuid)
_SINCE = bindparam("since", type_=DateTime(timezone=True))

# Trials are counted by cell first, so that few rows are joined.
_UNFINISHED_BY_CELL = (
    select(Trial.run_id, Trial.cell_id, func.count().label("trials"))
    .where(Trial.status.not_in(TRIAL_ENDS))
    .group_by(Trial.run_id, Trial.cell_id)
    .subquery()
)
_UNFINISHED = (
    select(
        Cell.parameters.label("parameters"),
        cast(func.sum(_UNFINISHED_BY_CELL.c.trials), BigInteger).label("trials"),
    )
    .join(_UNFINISHED_BY_CELL, _UNFINISHED_BY_CELL.c.cell_id == Cell.id)
    .join(Run, Run.id == _UNFINISHED_BY_CELL.c.run_id)
    .where(Run.workspace_id == _WORKSPACE)
    .group_by(Cell.parameters)
)

# Start and end of the trials that ended after a time. An index on runs finds them, because trials
# have none on their times.
_FINISHED = (
    select(Trial.started_at, Trial.finished_at)
    .join(Run, Run.id == Trial.run_id)
    .where(
        Run.workspace_id == _WORKSPACE,
        or_(Run.finished_at.is_(None), Run.finished_at > _SINCE),
        Trial.started_at.is_not(None),
        Trial.finished_at > _SINCE,
    )
)
# Intervals are added, because PostgreSQL converts each to seconds slowly.
_FINISHED_TIME = _FINISHED.with_only_columns(
    func.sum(Trial.finished_at - func.greatest(Trial.started_at, _SINCE))
)
_unfinished = _UNFINISHED.subquery()
_USAGE = (
    select(
        Workspace.max_queued_trials,
        Workspace.max_bench_minutes,
        cast(func.coalesce(extract("epoch", _FINISHED_TIME.scalar_subquery()), 0.0), Float),
        _unfinished.c.parameters,
        _unfinished.c.trials,
    )
    .outerjoin(_unfinished, true())
    .where(Workspace.id == _WORKSPACE)
)


@dataclass(frozen=True)
class Quotas:
    """The limits of a workspace; 0 for none."""

    queued_trials: int
    bench_minutes: int


@dataclass(frozen=True)
class Usage:
    """The queued trials and the bench minutes of a workspace.

    Attributes:
        queued_trials: queued and running trials.
        bench_minutes: of trials that ended in the last 24 hours, as far as they are in this time,
            and the expected minutes of queued and running trials.
    """

    queued_trials: int
    bench_minutes: float


def read_quotas(session: Session, workspace_id: UUID) -> tuple[Quotas, Usage]:
    """Return the limits of a workspace, and what it uses now."""
    bound = {"workspace_id": workspace_id, "since": datetime.now(UTC) - BENCH_WINDOW}
    rows = session.execute(_USAGE, bound).all()
    max_trials, max_minutes, seconds, *_ = rows[0]
    unfinished = [(parameters, trials) for *_, parameters, trials in rows if trials]
    return (
        _list_quotas(max_trials, max_minutes),
        Usage(sum(count for _, count in unfinished), (seconds + _expect_seconds(unfinished)) / 60),
    )


def check(session: Session, workspace_id: UUID, wanted: Sequence[tuple[Parameters, int]]) -> None:
    """Check that a workspace may queue trials, and lock its limits until commit.

    Args:
        wanted: the parameters of each new cell, and the number of its trials.

    Raises:
        LimitExceeded: the workspace uses too much now.
        TooLarge: the new trials alone exceed a limit.
    """
    query = select(Workspace).where(Workspace.id == workspace_id)
    # Rows that refer to the workspace can still be inserted.
    workspace = session.scalars(query.with_for_update(key_share=True)).one()
    quotas = _list_quotas(workspace.max_queued_trials, workspace.max_bench_minutes)
    waiting = _count_unfinished(session, workspace_id)
    _check_queue(quotas.queued_trials, sum(n for _, n in waiting), sum(n for _, n in wanted))
    if quotas.bench_minutes:
        since = datetime.now(UTC) - BENCH_WINDOW
        finished = _list_finished(session, workspace_id, since)
        _check_minutes(
            quotas.bench_minutes * 60,
            finished,
            since,
            _expect_seconds(waiting),
            _expect_seconds(wanted),
        )


def _count_unfinished(session: Session, workspace_id: UUID) -> list[tuple[Parameters, int]]:
    """Return cell parameters with the number of queued and running trials of such cells."""
    rows = session.execute(_UNFINISHED, {"workspace_id": workspace_id})
    return [(parameters, trials) for parameters, trials in rows]


def _list_finished(
    session: Session, workspace_id: UUID, since: datetime
) -> Sequence[tuple[datetime, datetime]]:
    """Return start and end of the trials that ended after a time, by end."""
    rows = session.execute(
        _FINISHED.order_by(Trial.finished_at), {"workspace_id": workspace_id, "since": since}
    )
    return [(began_at, ended_at) for began_at, ended_at in rows if began_at and ended_at]


def _list_quotas(trials: int | None, minutes: int | None) -> Quotas:
    settings = get_settings()
    return Quotas(
        settings.limit_queued_trials if trials is None else trials,
        settings.limit_bench_minutes if minutes is None else minutes,
    )


def _check_queue(limit: int, waiting: int, wanted: int) -> None:
    if not limit or waiting + wanted <= limit:
        return
    if wanted > limit:
        raise TooLarge(
            f"cells × trials: the run has {wanted:,} trials, and this workspace may queue "
            f"{limit:,}. Use fewer cells or trials, or ask an operator for a higher limit.",
            field="trials",
        )
    raise LimitExceeded(
        f"This workspace may queue {limit:,} trials. {waiting:,} are queued, and this run has "
        f"{wanted:,}. Wait until some have ended, cancel a run, or ask an operator for a higher "
        "limit.",
        _QUEUE_SECONDS,
    )


def _check_minutes(
    limit: float,
    finished: Sequence[tuple[datetime, datetime]],
    since: datetime,
    queued: float,
    wanted: float,
) -> None:
    """Raise if finished, queued and wanted trials together take more than `limit` seconds."""
    over = sum(_measure_seconds(trial, since) for trial in finished) + queued + wanted - limit
    if over <= 0:
        return
    if wanted > limit:
        raise TooLarge(
            f"trials: the run needs about {wanted / 60:.0f} minutes, and this workspace may "
            f"measure {limit / 60:.0f} minutes in 24 hours. Use fewer cells or trials, or ask an "
            "operator for a higher limit.",
            field="trials",
        )
    raise LimitExceeded(
        f"This workspace may measure {limit / 60:.0f} minutes in 24 hours. "
        f"{(limit + over - wanted) / 60:.0f} are used or queued, and this run needs about "
        f"{wanted / 60:.0f}. Try again later, or ask an operator for a higher limit.",
        _find_wait_seconds(finished, since, over),
    )


def _find_wait_seconds(
    finished: Sequence[tuple[datetime, datetime]], since: datetime, over: float
) -> float:
    """Return the seconds until so many seconds of trials are older than 24 hours."""
    for trial in finished:
        over -= _measure_seconds(trial, since)
        if over <= 0:
            return (trial[1] - since).total_seconds() + over
    return BENCH_WINDOW.total_seconds()


def _measure_seconds(trial: tuple[datetime, datetime], since: datetime) -> float:
    began_at, ended_at = trial
    return (ended_at - max(began_at, since)).total_seconds()


def _expect_seconds(trials: Sequence[tuple[Parameters, int]]) -> float:
    return sum(count * expected_trial_seconds(parameters) for parameters, count in trials)
