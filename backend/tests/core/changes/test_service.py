"""From a level shift in a history to a decision, with the real database."""

import json
from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.changes import listing
from backend.core.changes.confirmation import finalize_confirmation
from backend.core.changes.decisions import decide
from backend.core.changes.detection import LAST_POINTS
from backend.core.changes.lifecycle import MIN_PAIRS
from backend.core.changes.service import find_run_changes
from backend.core.changes.webhooks.service import create_webhook
from backend.core.config import get_settings
from backend.core.db import new_id
from backend.core.documents import StoredCellWarning
from backend.core.errors import Conflict
from backend.core.models import CellSummary, Change, Run, WebhookDelivery
from backend.core.people.access.viewer import PUBLIC, Viewer
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.answer.model import AnswerKind
from backend.core.results.run_results.service import read_run_results
from backend.core.runs import repository as runs
from backend.core.statuses import ChangeStatus, RunOutcome, WebhookEvent
from backend.core.units import Metric, Purpose, Verdict
from backend.tests.factories import add_host, claim_next, first_workspace, succeed
from backend.tests.histories import History

PAIRS = 6
HONEST = 24
OLD, NEW = {"node": "a" * 64}, {"node": "b" * 64}
METRICS = (Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)


@pytest.fixture
def host_id(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[UUID]:
    monkeypatch.setenv("TACHO_CONFIRMATION_PAIRS", str(PAIRS))
    get_settings.cache_clear()
    yield add_host(session).id
    monkeypatch.undo()
    get_settings.cache_clear()


@pytest.fixture
def history(session: Session, host_id: UUID) -> History:
    """Two metrics that shift together."""
    return History(session, host_id, metrics=METRICS)


def run_confirmation(session: Session, host_id: UUID, old_ms: float, new_ms: float) -> None:
    """Run the trials of the queued confirmation run; each build has its own level ± 2 %."""
    waiting = session.scalars(select(Run).where(Run.purpose == Purpose.CONFIRMATION)).one()
    cells = runs.get_run(session, str(waiting.id)).cells
    assert [cell.builds for cell in cells] == [OLD, NEW]
    levels = {cells[0].id: old_ms, cells[1].id: new_ms}
    for _ in range(waiting.trials_per_cell):
        for trial in (claim_next(session, host_id), claim_next(session, host_id)):
            off = (trial.repetition * 3 + (trial.cell_id == cells[0].id)) % MIN_PAIRS - 2
            succeed(session, trial, [levels[trial.cell_id] * (1 + off / 100)] * 5)
    session.expire_all()
    finalize_confirmation(session, runs.get_run(session, str(waiting.id)))


def changes(session: Session) -> list[Change]:
    """All changes of p50; those of p99 are equal."""
    found = session.scalars(select(Change).order_by(Change.at, Change.metric)).all()
    assert {change.metric for change in found} <= set(METRICS)
    return [change for change in found if change.metric == Metric.LATENCY_P50_MS]


def test_a_slower_build_is_suspected_then_tested_then_confirmed(
    session: Session, host_id: UUID, history: History
) -> None:
    create_webhook(
        session,
        first_workspace(session),
        url="https://hooks.example.org/",
        events=[WebhookEvent.CHANGE_CONFIRMED],
        description="",
    )
    history.land(HONEST, 10.0, OLD)
    assert changes(session) == []

    history.land(6, 10.8, NEW)
    (suspected,) = changes(session)
    assert suspected.status == ChangeStatus.TESTING
    assert suspected.low < 1.08 < suspected.high

    history.land(1, 10.8, NEW)
    (same,) = changes(session)
    assert same.id == suspected.id

    run_confirmation(session, host_id, 10.0, 10.8)
    (confirmed,) = changes(session)
    assert confirmed.id == suspected.id
    assert confirmed.status == ChangeStatus.CONFIRMED
    # As many pairs as this small noise requires.
    assert confirmed.confirmation_pairs == MIN_PAIRS
    assert confirmed.confirmation_low is not None
    assert confirmed.confirmation_high is not None
    assert confirmed.confirmation_low < 1.08 < confirmed.confirmation_high
    assert listing.count_changes(session, PUBLIC) == {ChangeStatus.CONFIRMED: 2}
    assert listing.count_changes(session, Viewer(new_id())) == {}

    (delivery,) = session.scalars(select(WebhookDelivery)).all()
    message = json.loads(delivery.body)["data"]
    assert message["change"]["confirmation_low"] < 1.08 < message["change"]["confirmation_high"]
    assert message["change"] == message["incident"]["changes"][0]
    assert message["incident"]["id"] == str(confirmed.incident_id)
    assert {change["metric"] for change in message["incident"]["changes"]} == set(METRICS)

    # Later points are compared with the new level only.
    history.land(14, 10.8, NEW)
    assert [change.id for change in changes(session)] == [confirmed.id]
    check_answer(session)


def check_answer(session: Session) -> None:
    """Check that the answer of the confirmation run is about the change."""
    tested = session.scalars(select(Run).where(Run.purpose == Purpose.CONFIRMATION)).one()

    answer = build_answer(read_run_results(session, runs.get_run(session, str(tested.id))))

    assert (answer.kind, answer.outcome) == (AnswerKind.CONFIRMATION, RunOutcome.USABLE)
    assert answer.metric in METRICS
    assert answer.headline.startswith("The new build of ")
    assert " has a higher latency p" in answer.headline
    old, new = sorted(answer.rows, key=lambda row: row.estimate or 0)
    assert (old.comparison, new.rank) == ("1×", 2)
    assert f"the new build has {new.comparison} the latency" in answer.sentences[0]
    assert answer.sentences[-1] == "Status of the change: confirmed."
    assert len(answer.lines) == len(METRICS)


def test_results_that_the_host_disturbed_are_not_points(session: Session, history: History) -> None:
    history.land(HONEST, 10.0, OLD)
    for _ in range(6):
        run = history.add(10.8, NEW)
        disturbed = StoredCellWarning(verdict=Verdict.HOST_DISTURBED, detail="Sent late.", trials=1)
        for summary in session.scalars(select(CellSummary).where(CellSummary.run_id == run.id)):
            summary.verdicts = [disturbed]
        session.flush()
        find_run_changes(session, run)
    assert changes(session) == []

    # With them, this would be the seventh point of the new level.
    history.land(1, 10.8, NEW)
    assert changes(session) == []


def test_levels_end_at_the_neighbouring_change(
    session: Session, host_id: UUID, history: History
) -> None:
    history.land(HONEST, 10.0, OLD)
    history.land(14, 12.0, OLD)
    history.land(5, 12.9, NEW)
    drift, own = changes(session)
    assert (drift.status, own.status) == (ChangeStatus.HOST_DRIFT, ChangeStatus.TESTING)
    # Equal builds on both sides need no experiment.
    assert drift.confirmation_run_id is None
    assert "same before and after" in drift.reason
    # Compared with the level just before, not with that of the previous month.
    assert own.low < 12.9 / 12.0 < own.high < 1.12

    run_confirmation(session, host_id, 12.2, 12.2)

    # With 10.0 in the level before, 12.2 would be nearer to 12.9.
    assert own.status == ChangeStatus.DISMISSED
    assert "The shift is gone" in own.reason


def test_a_shift_of_all_services_is_not_attributed_to_a_new_build(
    session: Session, host_id: UUID
) -> None:
    def land(*frameworks: str) -> set[str]:
        history = History(session, host_id, frameworks, METRICS, drift=0.03)
        history.land(HONEST, 10.0, OLD)
        history.land(4, 10.4, NEW, others=OLD)
        return {change.framework for change in changes(session)}

    assert land("express", "go-nethttp", "fastapi", "axum") == set()
    assert land("fastify") == {"fastify"}


def test_an_untestable_change_stays_suspected_until_a_user_decides(
    session: Session, host_id: UUID, history: History
) -> None:
    history.land(HONEST, 10.0)
    history.land(6, 11.0)
    (change,) = changes(session)
    assert change.status == ChangeStatus.SUSPECTED
    assert "without their builds" in change.reason

    with pytest.raises(Conflict, match="without their builds"):
        decide(session, change, ChangeStatus.TESTING, None)
    decide(session, change, ChangeStatus.DISMISSED, "we know")
    history.land(3, 11.0)

    (dismissed,) = changes(session)
    assert (dismissed.status, dismissed.note, dismissed.is_by_hand) == (
        ChangeStatus.DISMISSED,
        "we know",
        True,
    )


def test_only_the_newest_of_several_old_runs_is_tested(
    session: Session, host_id: UUID, history: History
) -> None:
    """As after an upgrade of an installation whose runs were not finalized."""
    levels = ((HONEST, 10.0, OLD), (9, 10.8, NEW), (9, 10.0, OLD))
    ended = [run for level in levels for run in history.add_many(*level)]
    for run in ended:
        run.finished_at = run.created_at
    session.flush()

    for run in ended[:-1]:
        assert find_run_changes(session, run) == []
    found = find_run_changes(session, ended[-1])

    assert {change.ratio < 1 for change in found} == {True}
    assert len(changes(session)) == 1
    assert len(session.scalars(select(Run).where(Run.purpose == Purpose.CONFIRMATION)).all()) == 1


def test_a_change_far_back_can_still_be_judged(
    session: Session, host_id: UUID, history: History
) -> None:
    history.land(HONEST, 10.0, OLD)
    history.land(6, 10.8, NEW)
    history.add_many(LAST_POINTS, 10.8, NEW)

    run_confirmation(session, host_id, 10.0, 10.8)

    (confirmed,) = changes(session)
    assert confirmed.status == ChangeStatus.CONFIRMED


def test_a_change_that_a_newer_one_hides_is_found_with_the_next_run(
    session: Session, host_id: UUID, history: History
) -> None:
    for level in ((HONEST, 10.0, OLD), (8, 10.8, NEW), (7, 12.0, NEW)):
        history.add_many(*level)

    history.land(1, 12.0, NEW)
    (drift,) = changes(session)
    assert drift.status == ChangeStatus.HOST_DRIFT

    history.land(1, 12.0, NEW)
    hidden, known = changes(session)
    assert known.id == drift.id
    assert (hidden.status, hidden.low < 1.08 < hidden.high) == (ChangeStatus.TESTING, True)


def test_a_build_that_came_a_few_points_before_the_detected_step_is_tested(
    session: Session, host_id: UUID, history: History
) -> None:
    """Otherwise, the same build on both sides would count as host drift."""
    history.land(HONEST, 10.0, OLD)
    history.land(5, 10.1, NEW)
    history.land(8, 10.6, NEW)

    first = changes(session)[0]
    assert first.status == ChangeStatus.TESTING
    # The build came with the 25th run, a day after another from the first of the month.
    assert first.at.day == HONEST + 1
