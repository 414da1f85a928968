"""The webhook message about a confirmed change."""

from sqlalchemy.orm import Session

from backend.core.models import Change, Host
from backend.core.statuses import WebhookEvent
from backend.core.units import METRICS, Direction
from backend.core.webhooks.service import emit


def announce_confirmed(session: Session, change: Change) -> None:
    """Queue webhook messages: an experiment or a user has confirmed a change."""
    host = session.get_one(Host, change.host_id).name
    emit(session, WebhookEvent.CHANGE_CONFIRMED, {"change": _describe(change, host)})


def _describe(change: Change, host: str) -> dict[str, object]:
    """Return the series of a change, its ratio in the history, and its ratio in the experiment.

    Ratios are new divided by old, each with its 95 % interval. The ratio of the history is adjusted
    if the shift that services of the same runs share was subtracted.
    """
    info = METRICS[change.metric]
    return {
        "id": change.id,
        "status": change.status,
        "reason": change.reason,
        "is_by_hand": change.is_by_hand,
        "framework": change.framework,
        "scenario": change.scenario,
        "profile": change.profile,
        "parameters": change.parameters,
        "metric": info.metric,
        "unit": info.unit,
        "host": host,
        "is_regression": (change.ratio > 1) == (info.direction is Direction.LOWER),
        "ratio": change.ratio,
        "low": change.low,
        "high": change.high,
        "is_adjusted": change.is_adjusted,
        "confirmation_ratio": change.confirmation_ratio,
        "confirmation_low": change.confirmation_low,
        "confirmation_high": change.confirmation_high,
        "at": change.at.isoformat(),
    }
