"""The verdicts of a cell: those of its trials, and those about all its trials."""

from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest

from backend.core.models import Trial
from backend.core.results.cell_summary import Summary, summarise_cell
from backend.core.statuses import TrialStatus
from backend.core.units import Metric, Verdict
from backend.tests.core.results.test_environment import ENVIRONMENT, changed


def trial(environment: dict[str, Any] = ENVIRONMENT, **changes: Any) -> Trial:
    """Return a succeeded trial without a warning."""
    fields: dict[str, Any] = {
        "id": uuid4(),
        "status": TrialStatus.SUCCEEDED,
        "verdicts": [],
        "environment": deepcopy(environment),
    }
    return Trial(**fields | changes)


def told(summary: Summary) -> dict[Verdict, str]:
    return {verdict.verdict: verdict.detail for verdict in summary.verdicts}


def test_five_equal_undisturbed_trials_are_ok() -> None:
    trials = [trial() for _ in range(5)]

    summary = summarise_cell(trials, {}, [*trials, trial(changed("framework_digest", "0" * 64))])

    assert list(told(summary)) == [Verdict.OK]
    assert not summary.excluded


def test_a_warning_about_a_trial_applies_to_the_cell_with_the_number_of_trials() -> None:
    warning = {"verdict": "host_busy", "detail": "Others used 9%."}
    trials = [trial(), trial(verdicts=[warning]), trial(verdicts=[warning]), trial(), trial()]

    (verdict,) = summarise_cell(trials, {}).verdicts

    assert (verdict.verdict, verdict.detail, verdict.trials) == (
        Verdict.HOST_BUSY,
        "Others used 9%.",
        2,
    )


@pytest.mark.parametrize(
    ("unsteady", "trials", "is_excluded"),
    [(1, 5, False), (2, 5, True), (1, 4, True), (2, 10, False)],
)
def test_one_unsteady_trial_of_five_may_be_chance(
    unsteady: int, trials: int, is_excluded: bool
) -> None:
    warning = {"verdict": "never_steady", "detail": "The throughput changed by +20%."}
    found = [trial(verdicts=[warning] if n < unsteady else []) for n in range(trials)]

    summary = summarise_cell(found, {}, has_enough_trials=True)

    assert summary.excluded is is_excluded
    assert list(told(summary)) == [Verdict.NEVER_STEADY if is_excluded else Verdict.OK]


def test_a_trial_whose_steadiness_was_not_tested_excludes_the_cell() -> None:
    warning = {"verdict": "steadiness_not_tested", "detail": "Only 5 s."}

    assert summarise_cell([trial(verdicts=[warning]), *(trial() for _ in range(4))], {}).excluded


def test_the_most_severe_verdict_of_any_trial_comes_first() -> None:
    busy = {"verdict": "host_busy", "detail": "Others used 9%."}
    wrong = {"verdict": "wrong_answers", "detail": "1 of 9 responses were wrong."}
    trials = [trial(verdicts=[busy]), trial(verdicts=[wrong]), *(trial() for _ in range(3))]

    summary = summarise_cell(trials, {})

    assert list(told(summary)) == [Verdict.WRONG_ANSWERS, Verdict.HOST_BUSY]
    assert summary.excluded


def test_a_cell_that_changed_its_runtime_is_excluded() -> None:
    trials = [*(trial() for _ in range(4)), trial(changed("runtime", "docker"))]

    summary = summarise_cell(trials, {trials[0].id: {Metric.THROUGHPUT_RPS: 9.0}})

    assert summary.excluded
    assert told(summary) == {
        Verdict.RUNTIME_DIFFERS: "Not all of this cell's trials ran in one runtime: "
        "process and docker."
    }
    assert summary.estimates[Metric.THROUGHPUT_RPS].n == 1


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("cpus/service", [0, 1], "cpus.service (0 or 0-1)"),
        ("host/kernel", "6.2", "host.kernel (6.1 or 6.2)"),
        ("harness/tacho", "0.2.0", "harness.tacho (0.1.0 or 0.2.0)"),
        ("framework_digest", "0" * 64, f"framework ({'cd' * 6} or {'0' * 12})"),
    ],
)
def test_a_cell_whose_environment_changed_is_excluded(path: str, value: Any, named: str) -> None:
    trials = [*(trial() for _ in range(4)), trial(changed(path, value))]

    summary = summarise_cell(trials, {})

    assert summary.excluded
    assert told(summary) == {
        Verdict.ENVIRONMENT_CHANGED: f"Not the same for this cell's trials: {named}."
    }


def test_cells_measured_under_other_conditions_than_their_run_are_excluded() -> None:
    trials = [trial() for _ in range(5)]
    other = changed("cpus/load", [1, 2])
    other["host"] |= {"kernel": "7", "cpu_model": "Other", "mitigations": {}}

    summary = summarise_cell(trials, {}, [*trials, trial(other)])

    assert summary.excluded
    assert told(summary) == {
        Verdict.ENVIRONMENT_CHANGED: "Not the same for this cell and others of the run: "
        "cpus.load (1 or 1-2); host.cpu_model (Some CPU or Other); host.kernel (6.1 or 7); "
        "and 1 more."
    }


def test_failed_trials_are_ignored() -> None:
    elsewhere = trial(changed("runtime", "docker"), status=TrialStatus.FAILED)
    trials = [*(trial() for _ in range(5)), elsewhere]

    summary = summarise_cell(trials, {}, trials)

    assert list(told(summary)) == [Verdict.OK]
    assert (summary.trials_succeeded, summary.trials_failed) == (5, 1)


def test_few_trials_give_a_warning_without_exclusion() -> None:
    summary = summarise_cell([trial()], {})

    assert list(told(summary)) == [Verdict.TOO_FEW_TRIALS]
    assert not summary.excluded


BUSY = {"verdict": "host_busy", "detail": "Others used 9%.", "of_host": True}
LATE = {"verdict": "rate_missed", "detail": "Sent late.", "of_host": True}
WRONG = {"verdict": "wrong_answers", "detail": "1 of 9 responses were wrong."}


def test_disturbed_trials_count_only_in_runs_that_do_not_repeat_them() -> None:
    trials = [trial(verdicts=[LATE, BUSY]), *(trial() for _ in range(5))]
    values = {item.id: {Metric.THROUGHPUT_RPS: 9.0} for item in trials}
    values[trials[0].id] = {Metric.THROUGHPUT_RPS: 1.0}

    fixed = summarise_cell(trials, values)
    repeated = summarise_cell(trials, values, repeats_disturbed=True)

    assert fixed.excluded
    assert fixed.estimates[Metric.THROUGHPUT_RPS].n == 6
    assert not repeated.excluded
    assert repeated.estimates[Metric.THROUGHPUT_RPS].n == 5
    assert told(repeated) == {
        Verdict.HOST_DISTURBED: "The host disturbed a trial, which was repeated and does not "
        "count. Sent late."
    }


def test_what_only_the_service_can_cause_counts_in_disturbed_trials_too() -> None:
    trials = [trial(verdicts=[WRONG, BUSY]), *(trial() for _ in range(5))]

    summary = summarise_cell(trials, {}, repeats_disturbed=True)

    assert summary.excluded
    assert Verdict.WRONG_ANSWERS in told(summary)


def test_a_cell_without_an_undisturbed_trial_shows_the_disturbed_ones() -> None:
    trials = [trial(verdicts=[BUSY]) for _ in range(5)]
    values = {item.id: {Metric.THROUGHPUT_RPS: 9.0} for item in trials}

    summary = summarise_cell(trials, values, repeats_disturbed=True)

    assert summary.estimates[Metric.THROUGHPUT_RPS].n == 5
    assert list(told(summary)) == [Verdict.HOST_DISTURBED, Verdict.TOO_FEW_TRIALS]
