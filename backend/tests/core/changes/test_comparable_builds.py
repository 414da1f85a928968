"""Builds that a confirmation run may still compare are found, also by a bench host itself."""

from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.core.changes.comparable_builds import list_comparable_builds
from backend.core.changes.detection import WINDOW_POINTS
from backend.core.models import Change
from backend.core.runs.repository import list_requested_builds
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric
from backend.tests.factories import add_host
from backend.tests.histories import History

HONEST = 24
OLD, NEW, NEWEST = {"node": "a" * 64}, {"node": "b" * 64}, {"node": "c" * 64}


@pytest.fixture
def host_id(session: Session) -> UUID:
    return add_host(session).id


@pytest.fixture
def history(session: Session, host_id: UUID) -> History:
    return History(session, host_id, metrics=(Metric.LATENCY_P50_MS,))


@pytest.fixture
def read_builds(session: Session, host_id: UUID) -> Callable[[], list[str]]:
    """A function that returns the comparable builds of the service, oldest name first."""

    def read() -> list[str]:
        found = list_comparable_builds(session, host_id, ["node"])
        return sorted(builds["node"][0] for builds in found)

    return read


def test_the_earlier_build_of_a_new_change_is_kept_until_it_is_too_old(
    history: History, read_builds: Callable[[], list[str]]
) -> None:
    for _ in range(HONEST):
        history.add(10.0, OLD)
    for _ in range(WINDOW_POINTS - 1):
        history.add(10.0, NEW)
    assert read_builds() == ["a", "b"]

    history.add(10.0, NEW)

    assert read_builds() == ["b"]


def test_the_builds_of_an_open_change_are_kept_until_somebody_decides(
    session: Session, history: History, read_builds: Callable[[], list[str]]
) -> None:
    history.land(HONEST, 10.0, OLD)
    history.land(6, 10.8, NEW)
    assert session.scalars(select(Change.status)).all() == [ChangeStatus.TESTING]
    for _ in range(WINDOW_POINTS):
        history.add(10.8, NEWEST)

    assert read_builds() == ["a", "b", "c"]
    session.execute(update(Change).values(status=ChangeStatus.CONFIRMED))
    assert read_builds() == ["a", "b", "c"]
    session.execute(update(Change).values(status=ChangeStatus.DISMISSED))
    assert read_builds() == ["c"]


def test_a_queued_confirmation_run_names_both_builds(
    session: Session, host_id: UUID, history: History
) -> None:
    history.land(HONEST, 10.0, OLD)
    assert list_requested_builds(session, host_id) == []

    history.land(6, 10.8, NEW)

    found = list_requested_builds(session, host_id)
    assert sorted(found, key=lambda builds: builds["node"]) == [OLD, NEW]
