"""The webhook message about limits that the results of a scheduled run miss."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from backend.core.changes.schedules.repository import find_schedule_of
from backend.core.changes.webhooks.service import describe_run, describe_schedule, emit
from backend.core.models import Run
from backend.core.numbers import agree, count_of, format_estimate, name_in_sentence
from backend.core.results.cell_result import CellResult
from backend.core.results.slos import SloCheck, check_run, describe_limit
from backend.core.statuses import WebhookEvent
from backend.core.units import METRICS


def announce_missed_limits(session: Session, run: Run, results: Sequence[CellResult]) -> None:
    """Queue one webhook message if a schedule started the run, and a result misses a limit.

    A result without a value misses no limit here: `schedule.missed` reports it.
    """
    schedule = find_schedule_of(session, run.id)
    if schedule is None:
        return
    checks = check_run(session, run.workspace_id, results)
    missed = [check for check in checks if not check.passed and check.estimate is not None]
    if not missed:
        return
    others = len(missed) - 1
    more = (
        f" {count_of(others, 'more limit')} {agree(others, 'is', 'are')} missed." if others else ""
    )
    payload = {
        "run": describe_run(run),
        "schedule": describe_schedule(schedule),
        "limits": [_describe(check) for check in missed],
    }
    text = f"{schedule.name}: {_tell(missed[0])}{more}"
    emit(session, run.workspace_id, WebhookEvent.LIMIT_MISSED, text, payload)


def _tell(check: SloCheck) -> str:
    """Return the value and the limit as a sentence."""
    result, info = check.result, METRICS[check.slo.metric]
    found = result.estimates[check.slo.metric]
    value = format_estimate(
        found.estimate, found.low, found.high, info.unit, is_bound=found.is_bound
    )
    return (
        f"{info.title} of {name_in_sentence(result.framework.name)} on {result.scenario.name} is "
        f"{value}; the limit is {describe_limit(check.slo)}."
    )


def _describe(check: SloCheck) -> dict[str, object]:
    result, info = check.result, METRICS[check.slo.metric]
    found = result.estimates[check.slo.metric]
    return {
        "id": check.slo.id,
        "framework": result.summary.framework,
        "scenario": result.summary.scenario,
        "profile": result.summary.profile,
        "parameters": result.summary.parameters,
        "metric": info.metric,
        "unit": info.unit,
        "direction": info.direction,
        "limit": check.slo.limit,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "detail": check.detail,
    }
