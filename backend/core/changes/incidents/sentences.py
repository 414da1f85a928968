"""Sentences about an incident: what shifted, and what to do next; pure."""

from collections.abc import Mapping, Sequence

from backend.core.changes.lifecycle import needs_attention
from backend.core.changes.size import find_ratio, is_regression
from backend.core.models import Change, Incident
from backend.core.numbers import format_ratio
from backend.core.statuses import ChangeStatus, IncidentKind
from backend.core.units import METRICS


def describe_incident(
    incident: Incident, changes: Sequence[Change], name: str, scenario: str
) -> str:
    """Return what shifted most: `Latency p99 of Node.js on Hello is 1.08× [1.05, 1.11] of …`.

    Args:
        changes: the largest first.
        name: of the framework, or of the host if the host has shifted.
        scenario: name of the scenario of the first change.
    """
    lead = changes[0]
    title = METRICS[lead.metric].title
    if incident.kind is IncidentKind.HOST:
        return f"{title} shifted in {_count(len(changes), 'series', 'series')} on {name}"
    return f"{title} of {name} on {scenario} is {_format_shift(lead)}"


def describe_next_step(
    incident: Incident, changes: Sequence[Change], sources: Mapping[str, int]
) -> str:
    """Return what to do next.

    Args:
        changes: the largest first.
        sources: number of differing source files of each program whose sources are known.
    """
    statuses = {change.status for change in changes}
    lead = changes[0]
    if ChangeStatus.TESTING in statuses:
        return (
            "Wait for the confirmation run. It measures the old and the new build side by side, "
            "and its result decides."
        )
    if ChangeStatus.SUSPECTED in statuses:
        return "Test it again with more pairs of trials, or dismiss it if the cause is known."
    if lead.status is ChangeStatus.CONFIRMED:
        return _advise_confirmed(lead, sources)
    if incident.kind is IncidentKind.HOST:
        return (
            "Most services of the host shifted together, so look at the host: other programs, its "
            "CPU frequency, its kernel. Then calibrate it again with tacho doctor --calibrate."
        )
    if lead.status is ChangeStatus.HOST_DRIFT:
        return (
            "The build does not explain the shift, so look at the host: other programs, its CPU "
            "frequency, its kernel. No change of the service is needed."
        )
    return "Nothing. Later runs do not report this shift again."


def _advise_confirmed(lead: Change, sources: Mapping[str, int]) -> str:
    acknowledged = lead.acknowledged_at is not None
    if not needs_attention(lead.status, is_acknowledged=acknowledged):
        return "Nothing. The incident is acknowledged, and later runs compare with the new level."
    last = "Then acknowledge it: later runs compare with the new level."
    if not is_regression(lead):
        return f"The new build is better. {last}"
    files = sum(sources.values())
    where = f"the {_count(files, 'changed file')} below" if files else "what changed in the build"
    return f"The new build is worse. Check {where}, and fix it or accept it. {last}"


def _format_shift(change: Change) -> str:
    if change.confirmation_ratio is not None:
        low, high = change.confirmation_low, change.confirmation_high
    else:
        low, high = change.low, change.high
    return f"{format_ratio(find_ratio(change), low, high)} of the earlier level"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
