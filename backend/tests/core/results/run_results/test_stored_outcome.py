"""Outcomes of runs that an older Tacho finalized, and of loaded examples."""

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from backend.core.models import Run
from backend.core.results.run_results.answer import stored
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.answer.model import RunAnswer
from backend.core.results.run_results.answer.remedy import round_down
from backend.core.results.run_results.service import RunResults
from backend.core.results.version import OUTCOME_VERSION
from backend.core.statuses import RunOutcome
from backend.tests.factories import add_host
from backend.tests.measured_runs import compare_two


def forget_outcomes(session: Session) -> None:
    values = {"outcome": None, "summary": None, "outcome_version": 0}
    session.execute(update(Run).values(**values, finalized_at=func.now()))
    session.expire_all()


def test_outcomes_of_earlier_runs_and_versions_are_computed_in_batches(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    host_id = add_host(session).id
    slugs = [compare_two(session, host_id).slug for _ in range(2)]
    forget_outcomes(session)

    assert [stored.write_missing_outcomes(session, 1) for _ in range(3)] == [1, 1, 0]

    outcomes = session.scalars(select(Run.outcome).where(Run.slug.in_(slugs))).all()
    assert outcomes == [RunOutcome.USABLE] * 2
    monkeypatch.setattr(stored, "OUTCOME_VERSION", OUTCOME_VERSION + 1)
    assert stored.write_missing_outcomes(session, 10) == 2


def test_a_run_whose_outcome_cannot_be_computed_does_not_stop_the_others(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    host_id = add_host(session).id
    broken, whole = (compare_two(session, host_id).id for _ in range(2))
    forget_outcomes(session)

    def fail_for_one(results: RunResults) -> RunAnswer:
        if results.run.id == broken:
            raise ValueError("broken")
        return build_answer(results)

    monkeypatch.setattr(stored, "build_answer", fail_for_one)

    assert stored.write_missing_outcomes(session, 10) == 2
    assert stored.write_missing_outcomes(session, 10) == 0
    assert session.get_one(Run, whole).outcome == RunOutcome.USABLE
    assert session.get_one(Run, broken).outcome is None


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(512, 500), (1000, 1000), (999, 800), (7.9, 6), (1.7, 1), (0.4, 1), (150, 150), (2400, 2000)],
)
def test_proposed_loads_are_round(value: float, rounded: int) -> None:
    assert round_down(value) == rounded
