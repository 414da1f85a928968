"""Runs with a goal get blocks of trials until the goal or a limit is reached. These tests
commit."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.documents import GoalJudgement, Precision, RunGoal
from backend.core.errors import InvalidRequest
from backend.core.models import Cell, Framework, Run, Trial
from backend.core.results.goals import service as goals
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.service import read_rankings, read_run_results
from backend.core.runs import repository, service
from backend.core.runs.goal import FIRST_BLOCKS
from backend.core.runs.trials import repository as trials
from backend.core.runs.trials.service import TrialClaim, give_back
from backend.core.statuses import GoalState, RunStatus, TrialStatus
from backend.core.units import Metric
from backend.tests.factories import ask_run, claim_next, fail_next, first_workspace, succeed

pytestmark = pytest.mark.usefixtures("database")

RANKED = RunGoal(max_trials=6, max_minutes=30)
BEGIN = datetime(2026, 11, 23, tzinfo=UTC)
# From a framework and a repetition to a latency in ms. The CPU time per request, the main metric,
# is proportional to it.
Latency = Callable[[str, int], float]


def queue(*frameworks: str, goal: RunGoal = RANKED) -> UUID:
    with unit_of_work() as session:
        return ask_run(session, frameworks, count=None, goal=goal).id


def work(host_id: UUID, latency: Latency, *, broken: Sequence[str] = ()) -> int:
    """Run trials as a worker does until none is queued; return how many there were.

    Args:
        latency: of a framework in a repetition, in ms.
        broken: frameworks whose builds fail.
    """
    done = 0
    while True:
        with unit_of_work() as session:
            waiting = trials.list_waiting_queues(session)
        if not waiting:
            return done
        with unit_of_work() as session:
            trial = claim_next(session, host_id)
            framework = find_framework(session, trial)
            if framework in broken:
                give_back(session, TrialClaim.of(trial))
                fail_next(session, host_id)
            else:
                succeed(session, trial, load(latency(framework, trial.repetition)))
        done += 1
        goals.continue_runs()


def find_framework(session: Session, trial: Trial) -> str:
    query = select(Framework.slug).join(Cell).where(Cell.id == trial.cell_id)
    return session.scalars(query).one()


def measure(host_id: UUID, count: int) -> list[UUID]:
    """Run trials of a run whose results do not differ, without judging it."""
    measured = []
    with unit_of_work() as session:
        for _ in range(count):
            trial = claim_next(session, host_id)
            framework = find_framework(session, trial)
            succeed(session, trial, load(noisy(framework, trial.repetition)))
            measured.append(trial.id)
    return measured


def get_judgement(run: Run) -> GoalJudgement:
    """Return the last judgement, which must exist."""
    assert run.goal_judgement is not None
    return run.goal_judgement


def find_state(run: Run) -> tuple[GoalState, int]:
    """Return the state and the number of blocks of the last judgement."""
    judgement = get_judgement(run)
    return judgement.state, judgement.blocks


def read(run_id: UUID) -> Run:
    with unit_of_work() as session:
        return repository.get_run(session, str(run_id))


def count_trials(run: Run) -> dict[int, int]:
    """Return the number of trials by the position of their cell."""
    places = {cell.id: cell.position for cell in run.cells}
    found = [places[trial.cell_id] for trial in run.trials]
    return {place: found.count(place) for place in sorted(set(found))}


def load(latency_ms: float) -> list[float]:
    """Return the latencies of a second; the fewer there are, the more CPU time each request has."""
    return [latency_ms] * round(2_000 / latency_ms)


def steady(framework: str, repetition: int) -> float:
    """Go is twice as fast; both vary by a few per cent."""
    return {"node": 2.0, "go-nethttp": 1.0, "fastapi": 4.0}[framework] * (1 + repetition % 3 / 50)


def noisy(framework: str, repetition: int) -> float:
    """Return values whose noise hides the difference."""
    sign = 1 if (repetition % 2 == 0) == (framework == "node") else -1
    return 1.0 + 0.3 * sign + (0.05 * repetition if framework == "node" else 0.0)


def test_a_clear_ranking_stops_after_the_first_blocks(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp")

    assert work(host_id, steady) == 2 * FIRST_BLOCKS

    run = read(run_id)
    assert run.status is RunStatus.SUCCEEDED
    assert run.finished_at is not None
    assert find_state(run) == (GoalState.REACHED, FIRST_BLOCKS)
    assert get_judgement(run).statement == "Go net/http uses the least CPU per request"
    with unit_of_work() as session:
        (ranking,) = read_rankings(session, repository.get_run(session, str(run_id)))
    assert [(cell.name, ranked.rank) for cell, ranked in ranking.list_ranked()] == [
        ("Go net/http", 1),
        ("Node.js", 2),
    ]
    assert not any("hint" in sentence for sentence in ranking.sentences)


def test_an_unclear_ranking_gets_blocks_up_to_its_limit(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp")

    assert work(host_id, noisy) == 2 * RANKED.max_trials

    run = read(run_id)
    assert run.status is RunStatus.SUCCEEDED
    assert run.trials_per_cell == RANKED.max_trials
    judgement = get_judgement(run)
    assert judgement.state is GoalState.MAX_TRIALS
    assert judgement.undecided == [[0, 1]]
    assert (judgement.more_trials or 0) > 0
    with unit_of_work() as session:
        results = read_run_results(session, repository.get_run(session, str(run_id)))
    (ranking,) = results.rank()
    assert {ranked.rank for _, ranked in ranking.list_ranked()} == {1}
    sentences = build_answer(results).sentences
    assert sentences[-1].startswith("Limit of 6 trials each reached; ")
    assert sentences[-1].endswith("would be needed to rank Node.js and Go net/http.")
    assert "6 trials each." not in sentences
    # Each block has each cell once, in positions that follow each other.
    assert [trial.position for trial in run.trials] == list(range(12))
    assert [trial.repetition for trial in run.trials] == [n for n in range(1, 7) for _ in range(2)]
    assert count_trials(run) == {0: 6, 1: 6}


def test_a_precise_result_stops_its_run(host_id: UUID) -> None:
    goal = RunGoal(10, 30, Precision(Metric.LATENCY_P50_MS, 10))
    run_id = queue("node", goal=goal)

    work(host_id, steady)

    state, blocks = find_state(read(run_id))
    assert state is GoalState.REACHED
    assert blocks < goal.max_trials


def test_a_result_that_fails_gets_no_further_trials_and_the_others_go_on(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp", "fastapi")

    work(host_id, noisy, broken=["fastapi"])

    run = read(run_id)
    assert run.status is RunStatus.FAILED
    assert find_state(run)[0] is GoalState.MAX_TRIALS
    assert count_trials(run) == {0: 6, 1: 6, 2: FIRST_BLOCKS}
    with unit_of_work() as session:
        (ranking,) = read_rankings(session, repository.get_run(session, str(run_id)))
    assert [ranked.rank for _, ranked in ranking.list_ranked()] == [1, 1, None]
    assert "FastAPI is excluded from ranking: 2 failed trials." in ranking.sentences


def test_a_run_ends_if_only_one_result_is_left(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp")

    work(host_id, steady, broken=["node"])

    run = read(run_id)
    assert run.status is RunStatus.FAILED
    assert find_state(run) == (GoalState.UNREACHABLE, FIRST_BLOCKS)


def test_a_block_that_would_exceed_the_time_is_not_added(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp", goal=RunGoal(50, 5))
    # Six trials of 40 seconds and a build each: another block would end after 320 seconds.
    measured = measure(host_id, 6)
    for at, trial_id in enumerate(measured):
        set_times(trial_id, BEGIN + timedelta(seconds=100 * at), 100, build_seconds=60)

    goals.continue_runs()

    run = read(run_id)
    assert run.status is RunStatus.SUCCEEDED
    assert find_state(run)[0] is GoalState.MAX_MINUTES
    assert len(run.trials) == 6


def test_the_first_blocks_end_at_the_limit_of_minutes(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp", goal=RunGoal(50, 5))
    # Three trials of 100 seconds each: the next would end after 400 seconds.
    for at, trial_id in enumerate(measure(host_id, 3)):
        set_times(trial_id, BEGIN + timedelta(seconds=100 * at), 100)

    goals.continue_runs()

    run = read(run_id)
    assert run.status is RunStatus.SUCCEEDED
    assert [trial.status for trial in run.trials].count(TrialStatus.CANCELLED) == 3
    judgement = get_judgement(run)
    assert find_state(run) == (GoalState.MAX_MINUTES, 1)
    assert (judgement.more_trials, judgement.is_least) == (2, True)
    assert judgement.undecided == [[0, 1]]


def set_times(trial_id: UUID, begin: datetime, seconds: float, *, build_seconds: float = 0) -> None:
    """Set when a trial ran, and how much of that time its build took."""
    with unit_of_work() as session:
        session.execute(
            update(Trial)
            .where(Trial.id == trial_id)
            .values(
                started_at=begin,
                finished_at=begin + timedelta(seconds=seconds),
                stage_seconds={"building": build_seconds},
            )
        )


def test_a_single_failed_trial_does_not_end_a_run(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp")
    with unit_of_work() as session:
        fail_next(session, host_id)

    work(host_id, steady)

    run = read(run_id)
    assert find_state(run)[0] is GoalState.REACHED
    assert count_trials(run) == {0: 4, 1: 4}


def test_a_block_is_added_once_by_several_workers(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp")
    measure(host_id, 6)
    together = Barrier(4)

    def judge() -> None:
        together.wait()
        goals.continue_runs()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(judge) for _ in range(4)]:
            done.result()

    run = read(run_id)
    assert count_trials(run) == {0: 4, 1: 4}
    assert run.status is RunStatus.RUNNING


def test_a_run_whose_goal_can_never_be_judged_ends_with_a_failure(
    host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = queue("node", "go-nethttp")
    measure(host_id, 6)

    def fail(*_: object) -> None:
        raise RuntimeError("of a test")

    monkeypatch.setattr(goals, "judge_groups", fail)
    statuses = []
    for _ in range(6):
        goals.continue_runs()
        statuses.append(read(run_id).status)

    assert statuses == [RunStatus.RUNNING] * 4 + [RunStatus.FAILED] * 2
    run = read(run_id)
    assert find_state(run) == (GoalState.FAILED, FIRST_BLOCKS)
    assert run.finished_at is not None
    assert len(run.trials) == 6


def test_an_outage_of_the_database_does_not_count_as_a_failed_judgement(
    host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = queue("node", "go-nethttp")
    measure(host_id, 6)

    def fail(*_: object) -> None:
        raise OperationalError("SELECT", {}, ConnectionError("gone"), connection_invalidated=True)

    with monkeypatch.context() as patched:
        patched.setattr(goals, "judge_groups", fail)
        for _ in range(10):
            goals.continue_runs()

    assert read(run_id).status is RunStatus.RUNNING
    assert read(run_id).goal_judgement is None


@pytest.mark.parametrize("is_block_complete", [False, True])
def test_a_cancelled_run_gets_no_further_block(host_id: UUID, is_block_complete: bool) -> None:
    run_id = queue("node", "go-nethttp")
    measure(host_id, 6 if is_block_complete else 3)
    with unit_of_work() as session:
        service.cancel_run(session, repository.get_run(session, str(run_id)))

    goals.continue_runs()

    run = read(run_id)
    assert run.status is RunStatus.CANCELLED
    assert len(run.trials) == 6
    assert not [trial for trial in run.trials if trial.status is TrialStatus.QUEUED]
    assert run.goal_judgement is None


def test_a_repeat_has_the_same_goal(host_id: UUID) -> None:
    run_id = queue("node", "go-nethttp")
    measure(host_id, 6)
    goals.continue_runs()
    with unit_of_work() as session:
        again = service.repeat_run(
            session, first_workspace(session), repository.get_run(session, str(run_id))
        )
        assert again.goal == RANKED
        assert again.goal_judgement is None
        assert again.trials_per_cell == FIRST_BLOCKS


@pytest.mark.usefixtures("host_id")
def test_a_goal_without_time_for_the_first_blocks_is_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"max_minutes: .*Use 5 or more"):
        queue("node", "go-nethttp", goal=RunGoal(6, 1))
