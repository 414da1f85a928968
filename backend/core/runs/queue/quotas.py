"""Check that a workspace may queue further trials, and return what it uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.core.documents import Parameters
from backend.core.errors import LimitExceeded, TooLarge
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.queue import usage

BENCH_WINDOW = timedelta(hours=24)
# The queue changes at the latest when its next trial ends; most trials take less.
_QUEUE_SECONDS = 60.0


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
    used = usage.read_usage(session, workspace_id, datetime.now(UTC) - BENCH_WINDOW)
    seconds = used.finished_seconds + _expect_seconds(used.unfinished)
    return (
        _list_quotas(used.max_queued_trials, used.max_bench_minutes),
        Usage(sum(count for _, count in used.unfinished), seconds / 60),
    )


def check(session: Session, workspace_id: UUID, wanted: Sequence[tuple[Parameters, int]]) -> None:
    """Check that a workspace may queue trials, and lock its limits until commit.

    Args:
        wanted: the parameters of each new cell, and the number of its trials.

    Raises:
        LimitExceeded: the workspace uses too much now.
        TooLarge: the new trials alone exceed a limit.
    """
    workspace = usage.lock_workspace(session, workspace_id)
    quotas = _list_quotas(workspace.max_queued_trials, workspace.max_bench_minutes)
    waiting = usage.count_unfinished(session, workspace_id)
    _check_queue(quotas.queued_trials, sum(n for _, n in waiting), sum(n for _, n in wanted))
    if quotas.bench_minutes:
        since = datetime.now(UTC) - BENCH_WINDOW
        finished = usage.list_finished(session, workspace_id, since)
        _check_minutes(
            quotas.bench_minutes * 60,
            finished,
            since,
            _expect_seconds(waiting),
            _expect_seconds(wanted),
        )


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
