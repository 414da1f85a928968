"""Sentences about an incident: what shifted, and what to do next; pure."""

from collections.abc import Mapping, Sequence

from backend.core.changes.lifecycle import needs_attention
from backend.core.changes.size import find_ratio, is_regression
from backend.core.models import Change, Incident
from backend.core.numbers import count_of, format_ratio, name_in_sentence
from backend.core.results.ranking.metric_words import lower_title
from backend.core.statuses import ChangeStatus, IncidentKind
from backend.core.units import METRICS

_CHECK_HOST = (
    "look for the cause on the host: other programs, the frequency of its CPUs, or its kernel."
)


def describe_incident(
    incident: Incident, changes: Sequence[Change], framework: str, scenario: str, host: str
) -> str:
    """Return what shifted most: `Latency p99 of Node.js on Hello is 1.08× [1.05, 1.11] of …`.

    Args:
        changes: as `order_by_size` returns them.
        framework, scenario: names of the framework and scenario of the first change.
        host: name of the host.
    """
    lead = changes[0]
    title, name = METRICS[lead.metric].title, name_in_sentence(framework)
    if incident.kind is IncidentKind.HOST:
        count = count_of(len(changes), "series", "series")
        return f"{count} shifted on {host}, {lower_title(title)} of {name} most: {_show_size(lead)}"
    return f"{title} of {name} on {scenario} is {_show_size(lead)} of the earlier level"


def describe_next_step(
    incident: Incident, changes: Sequence[Change], sources: Mapping[str, int]
) -> str:
    """Return what to do next.

    Args:
        changes: as `order_by_size` returns them.
        sources: number of differing source files of each program whose sources are known.
    """
    statuses = {change.status for change in changes}
    lead = changes[0]
    if lead.status is ChangeStatus.TESTING:
        return (
            "Wait for the confirmation run. It measures the old and the new build side by side, "
            "and then confirms or dismisses the change."
        )
    is_new = lead.status is ChangeStatus.CONFIRMED and lead.acknowledged_at is None
    if ChangeStatus.SUSPECTED in statuses and not is_new:
        return (
            "Run the test again with more pairs of trials. If you know the cause, dismiss the "
            "change instead."
        )
    if lead.status is ChangeStatus.CONFIRMED:
        return _advise_confirmed(lead, sources)
    if incident.kind is IncidentKind.HOST:
        return (
            f"Most services on this host shifted together, so {_CHECK_HOST} Then calibrate the "
            "host again with tacho doctor --calibrate."
        )
    if lead.status is ChangeStatus.HOST_DRIFT:
        return f"The service needs no fix. The build does not explain the shift, so {_CHECK_HOST}"
    return "Nothing. The change is dismissed, and Tacho does not report it again."


def _advise_confirmed(lead: Change, sources: Mapping[str, int]) -> str:
    acknowledged = lead.acknowledged_at is not None
    if not needs_attention(lead.status, is_acknowledged=acknowledged):
        return (
            "Nothing. The change is acknowledged, and later runs are compared with the new level."
        )
    if not is_regression(lead):
        return (
            "The new build is better, so there is nothing to fix. Acknowledge the change to take "
            "it off the list of open changes."
        )
    files = sum(sources.values())
    where = f"the {count_of(files, 'changed file')} below" if files else "the changes of the build"
    return (
        f"The new build is worse. Look for the cause in {where} and fix it. If the new level is "
        "acceptable, acknowledge the change to take it off the list of open changes."
    )


def _show_size(change: Change) -> str:
    """Return the ratio that the confirmation run measured, or else that of the history."""
    if change.confirmation_ratio is not None:
        low, high = change.confirmation_low, change.confirmation_high
    else:
        low, high = change.low, change.high
    return format_ratio(find_ratio(change), low, high)
