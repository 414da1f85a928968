"""Sentences about an incident: its headline, and what to do next."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from backend.core.changes.incidents.sentences import describe_incident, describe_next_step
from backend.core.changes.size import order_by_size
from backend.core.models import Change, Incident
from backend.core.statuses import ChangeStatus, IncidentKind
from backend.core.units import Metric

NOW = datetime(2026, 11, 23, tzinfo=UTC)
SERVICE = Incident(kind=IncidentKind.SERVICE, framework="node")
HOST = Incident(kind=IncidentKind.HOST)


def change(status: ChangeStatus, ratio: float = 1.5, **values: object) -> Change:
    return Change(
        id=uuid4(),
        metric=Metric.LATENCY_P99_MS,
        scenario="hello",
        status=status,
        ratio=ratio,
        low=ratio - 0.1,
        high=ratio + 0.1,
        **values,
    )


def test_the_headline_is_about_the_first_change() -> None:
    found = change(
        ChangeStatus.CONFIRMED, confirmation_ratio=1.25, confirmation_low=1.2, confirmation_high=1.3
    )
    assert describe_incident(SERVICE, [found], "Node.js", "Hello", "bench-01") == (
        "Latency p99 of Node.js on Hello is 1.25× [1.20, 1.30] of the earlier level"
    )
    suspected = [change(ChangeStatus.SUSPECTED)]
    assert describe_incident(SERVICE, suspected, "Ktor, CIO", "Hello", "bench-01") == (
        "Latency p99 of Ktor (CIO) on Hello is 1.50× [1.40, 1.60] of the earlier level"
    )
    drifted = [change(ChangeStatus.HOST_DRIFT)] * 3
    assert describe_incident(HOST, drifted, "Node.js", "Hello", "bench-01") == (
        "3 series shifted on bench-01, latency p99 of Node.js most: 1.50× [1.40, 1.60]"
    )


@pytest.mark.parametrize(
    ("incident", "found", "expected"),
    [
        (SERVICE, change(ChangeStatus.TESTING), "Wait for the confirmation run"),
        (SERVICE, change(ChangeStatus.SUSPECTED), "Run the test again"),
        (
            SERVICE,
            change(ChangeStatus.CONFIRMED),
            "Look for the cause in the 2 changed files below and fix it",
        ),
        (
            SERVICE,
            change(ChangeStatus.CONFIRMED, 0.5),
            "The new build is better, so there is nothing to fix",
        ),
        (SERVICE, change(ChangeStatus.CONFIRMED, acknowledged_at=NOW), "acknowledged"),
        (SERVICE, change(ChangeStatus.HOST_DRIFT), "The service needs no fix"),
        (SERVICE, change(ChangeStatus.DISMISSED), "Nothing. The change is dismissed"),
        (HOST, change(ChangeStatus.HOST_DRIFT), "tacho doctor --calibrate"),
    ],
)
def test_the_next_step_depends_on_the_status(
    incident: Incident, found: Change, expected: str
) -> None:
    assert expected in describe_next_step(incident, [found], {"node": 2})


def test_a_confirmed_change_decides_the_next_step_despite_a_larger_undecided_one() -> None:
    found = order_by_size([change(ChangeStatus.SUSPECTED, 3), change(ChangeStatus.CONFIRMED)])

    assert "fix it" in describe_next_step(SERVICE, found, {"node": 2})
    found[0].acknowledged_at = NOW
    assert "Run the test again" in describe_next_step(SERVICE, found, {"node": 2})


def test_without_known_sources_the_build_is_named() -> None:
    found = describe_next_step(SERVICE, [change(ChangeStatus.CONFIRMED)], {})
    assert "Look for the cause in the changes of the build" in found
