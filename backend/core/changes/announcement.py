"""The webhook message about an incident: its first confirmed changes."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog.repository import find_frameworks, find_scenarios
from backend.core.changes.incidents import repository as incidents
from backend.core.changes.incidents.sentences import describe_incident
from backend.core.changes.size import is_regression, order_by_size
from backend.core.changes.webhooks.service import emit
from backend.core.models import Change, Host, Incident
from backend.core.statuses import ChangeStatus, WebhookEvent
from backend.core.units import METRICS


def announce_confirmed(session: Session, changes: Sequence[Change]) -> None:
    """Queue webhook messages about the confirmed ones of these changes: one for each incident.

    An incident has one message: later confirmations of further changes send none. The message
    contains all changes of the incident.
    """
    groups: dict[tuple[UUID, UUID], list[Change]] = {}
    for change in changes:
        if change.status == ChangeStatus.CONFIRMED:
            groups.setdefault((change.workspace_id, change.incident_id), []).append(change)
    for (workspace_id, incident_id), confirmed in groups.items():
        incident = incidents.lock(session, workspace_id, incident_id)
        if incident.announced_at is not None:
            continue
        incident.announced_at = func.now()
        host = session.get_one(Host, incident.host_id).name
        ordered = order_by_size(incidents.list_changes(session, incident_id))
        described = [_describe(change, host) for change in ordered]
        lead = order_by_size(confirmed)[0]
        payload = {
            "change": _describe(lead, host),
            "incident": _describe_incident(incident, host) | {"changes": described},
        }
        text = _tell(session, incident, ordered, host)
        emit(session, workspace_id, WebhookEvent.CHANGE_CONFIRMED, text, payload)
    session.flush()


def _tell(session: Session, incident: Incident, changes: Sequence[Change], host: str) -> str:
    """Return what shifted most as a sentence."""
    lead = changes[0]
    frameworks = find_frameworks(session, {lead.framework}, with_removed=True, names_only=True)
    scenarios = find_scenarios(session, {lead.scenario}, with_removed=True, names_only=True)
    framework, scenario = frameworks[lead.framework].name, scenarios[lead.scenario].name
    return f"{describe_incident(incident, changes, framework, scenario, host)}."


def _describe_incident(incident: Incident, host: str) -> dict[str, object]:
    return {
        "id": incident.id,
        "kind": incident.kind,
        "framework": incident.framework,
        "host": host,
        "builds": incident.builds,
        "at": incident.at.isoformat(),
    }


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
        "is_regression": is_regression(change),
        "ratio": change.ratio,
        "low": change.low,
        "high": change.high,
        "is_adjusted": change.is_adjusted,
        "confirmation_ratio": change.confirmation_ratio,
        "confirmation_low": change.confirmation_low,
        "confirmation_high": change.confirmation_high,
        "at": change.at.isoformat(),
    }
