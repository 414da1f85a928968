"""The verdicts of a cell: those of its trials, and those about all its trials."""

from collections.abc import Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import pytest

from backend.core.models import Cell, Framework, Host, Run, Scenario, Trial
from backend.core.results.cell_result import CellResult
from backend.core.results.cell_summary import TrialMetrics, summarise_run
from backend.core.statuses import TrialStatus
from backend.core.units import Metric, ProfileKind, Verdict
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


def summarise(
    trials: Sequence[Trial],
    metrics: TrialMetrics = MappingProxyType({}),
    others: Sequence[Trial] = (),
    *,
    kind: ProfileKind = ProfileKind.SATURATE,
) -> CellResult:
    """Return the result of a cell with these trials, in a run with a further cell."""
    framework, scenario = Framework(slug="a", name="A", colour=0), Scenario(slug="hello")
    cells = [Cell(id=uuid4(), kind=kind, framework=framework, scenario=scenario) for _ in range(2)]
    for cell, own in zip(cells, (trials, others), strict=True):
        for repetition, item in enumerate(own, 1):
            item.cell_id, item.repetition = cell.id, repetition
    run = Run(host=Host(name="bench-01"), cells=cells, trials=[*trials, *others])
    return summarise_run(run, metrics).cells[0]


def told(result: CellResult) -> dict[Verdict, str]:
    return {warning["verdict"]: warning["detail"] for warning in result.summary.verdicts}


def test_a_warning_about_a_trial_applies_to_the_cell_with_the_number_of_trials() -> None:
    warning = {"verdict": "host_busy", "detail": "Others used 9%."}
    trials = [trial(), trial(verdicts=[warning]), trial(verdicts=[warning]), trial(), trial()]

    assert summarise(trials).summary.verdicts == [
        {"verdict": Verdict.HOST_BUSY, "detail": "Others used 9%.", "trials": 2}
    ]


@pytest.mark.parametrize(
    ("unsteady", "trials", "is_excluded"),
    [(1, 5, False), (2, 5, True), (1, 4, True), (2, 10, False)],
)
def test_one_unsteady_trial_of_five_may_be_chance(
    unsteady: int, trials: int, is_excluded: bool
) -> None:
    warning = {"verdict": "never_steady", "detail": "The throughput changed by +20%."}
    found = [trial(verdicts=[warning] if n < unsteady else []) for n in range(trials)]

    result = summarise(found)

    assert result.summary.excluded is is_excluded
    assert (Verdict.NEVER_STEADY in told(result)) is is_excluded


@pytest.mark.parametrize(
    ("drifts", "is_excluded"),
    [
        ([0.7, 1.3, 1.1, 0.8, 1.2], False),
        ([0.7, 0.75, 0.8, 0.7, 0.72], True),
        # The compiler of the trial without a drift may have had work.
        ([0.7, 1.3, 1.1, 0.8], True),
    ],
)
def test_unsteady_trials_that_drift_differently_show_a_machine_whose_speed_varies(
    drifts: Sequence[float], is_excluded: bool
) -> None:
    warning = {"verdict": "never_steady", "detail": "The throughput changed by +20%."}
    trials = [trial(verdicts=[warning]) for _ in range(5)]
    metrics = {
        item.id: {Metric.WINDOW_DRIFT_RATIO: drift}
        for item, drift in zip(trials, drifts, strict=False)
    }

    result = summarise(trials, metrics)

    assert result.summary.excluded is is_excluded
    if not is_excluded:
        (detail,) = [told(result)[Verdict.SPEED_VARIED]]
        assert "a request cost 0.99 times as much" in detail
        assert Verdict.NEVER_STEADY not in told(result)


def test_a_trial_whose_steadiness_was_not_tested_excludes_the_cell() -> None:
    warning = {"verdict": "steadiness_not_tested", "detail": "Only 5 s."}

    assert summarise([trial(verdicts=[warning]), *(trial() for _ in range(4))]).summary.excluded


def test_the_most_severe_verdict_of_any_trial_comes_first() -> None:
    busy = {"verdict": "host_busy", "detail": "Others used 9%."}
    wrong = {"verdict": "wrong_answers", "detail": "1 of 9 responses were wrong."}
    trials = [trial(verdicts=[busy]), trial(verdicts=[wrong]), *(trial() for _ in range(3))]

    result = summarise(trials)

    assert list(told(result)) == [Verdict.WRONG_ANSWERS, Verdict.HOST_BUSY]
    assert result.summary.excluded


def test_a_cell_that_changed_its_runtime_is_excluded() -> None:
    trials = [*(trial() for _ in range(4)), trial(changed("runtime", "docker"))]

    result = summarise(trials, {trials[0].id: {Metric.THROUGHPUT_RPS: 9.0}})

    assert result.summary.excluded
    assert told(result) == {
        Verdict.RUNTIME_DIFFERS: "Not all of this cell's trials ran in one runtime: "
        "process and docker."
    }
    assert result.estimates[Metric.THROUGHPUT_RPS].n == 1


def test_a_cell_whose_environment_changed_is_excluded() -> None:
    trials = [*(trial() for _ in range(4)), trial(changed("cpus/service", [0, 1]))]

    result = summarise(trials)

    assert result.summary.excluded
    assert told(result) == {
        Verdict.ENVIRONMENT_CHANGED: "Not the same for this cell's trials: cpus.service (0 or 0-1)."
    }


def test_cells_measured_under_other_conditions_than_their_run_are_excluded() -> None:
    trials = [trial() for _ in range(5)]
    other = changed("cpus/load", [1, 2])
    other["host"] |= {"kernel": "7", "cpu_model": "Other", "mitigations": {}}

    result = summarise(trials, {}, [trial(other)])

    assert result.summary.excluded
    assert told(result) == {
        Verdict.ENVIRONMENT_CHANGED: "Not the same for the results of this run: "
        "cpus.load (1 or 1-2); host.cpu_model (Some CPU or Other); host.kernel (6.1 or 7); "
        "and 1 more."
    }


def test_failed_trials_are_ignored() -> None:
    elsewhere = trial(changed("runtime", "docker"), status=TrialStatus.FAILED)
    trials = [*(trial() for _ in range(5)), elsewhere]

    result = summarise(trials)

    assert list(told(result)) == [Verdict.OK]
    assert (result.summary.trials_succeeded, result.summary.trials_failed) == (5, 1)


def test_a_trial_that_the_host_disturbed_counts_and_gives_a_warning() -> None:
    late = {"verdict": "host_disturbed", "detail": "Sent late."}
    trials = [trial(verdicts=[late]), *(trial() for _ in range(5))]
    values = {item.id: {Metric.THROUGHPUT_RPS: 9.0} for item in trials}

    result = summarise(trials, values)

    assert not result.summary.excluded
    assert result.estimates[Metric.THROUGHPUT_RPS].n == 6
    assert told(result) == {Verdict.HOST_DISTURBED: "Sent late."}


def test_a_run_is_not_the_same_for_all_its_cells_or_for_none() -> None:
    trials, others = [trial() for _ in range(5)], [trial() for _ in range(4)]
    odd = trial(changed("host/kernel", "6.2"))

    inner = summarise([*others, odd], others=trials)
    outer = summarise(trials, others=[*others, odd])

    assert told(inner) == {
        Verdict.ENVIRONMENT_CHANGED: "Not the same for this cell's trials: host.kernel (6.1 or "
        "6.2)."
    }
    assert told(outer) == {
        Verdict.ENVIRONMENT_CHANGED: "Not the same for the results of this run: host.kernel (6.1 "
        "or 6.2)."
    }


def values_of(trials: Sequence[Trial], *cores: float) -> TrialMetrics:
    return {
        item.id: {Metric.CPU_CORES: used, Metric.CPU_US_PER_REQUEST: used * 2500}
        for item, used in zip(trials, cores, strict=True)
    }


@pytest.mark.parametrize(
    ("kind", "cores", "is_bound"),
    [
        (ProfileKind.RATE, (0.99, 0.5, 0.5, 0.5, 0.5), True),
        (ProfileKind.RATE, (0.94, 0.9, 0.9, 0.9, 0.9), False),
        (ProfileKind.SATURATE, (1.0, 1.0, 1.0, 1.0, 1.0), False),
        (ProfileKind.USERS, (1.0, 1.0, 1.0, 1.0, 1.0), False),
    ],
)
def test_cpu_per_request_is_a_bound_while_a_rate_fills_the_cpus_of_the_service(
    kind: ProfileKind, cores: tuple[float, ...], is_bound: bool
) -> None:
    trials = [trial() for _ in cores]

    result = summarise(trials, values_of(trials, *cores), kind=kind)

    assert result.estimates[Metric.CPU_US_PER_REQUEST].is_bound == is_bound
    assert not result.estimates[Metric.CPU_CORES].is_bound
    assert not result.summary.excluded
    warning = "The service used 99% of its CPU at a fixed rate, so its CPU per request is at least "
    expected = (
        {Verdict.SERVICE_SATURATED: f"{warning}the value shown."}
        if is_bound
        else {Verdict.OK: "No check found a problem."}
    )
    assert told(result) == expected


def test_a_service_on_more_cpus_is_full_when_it_uses_all() -> None:
    trials = [trial(changed("cpus/service", [0, 1])) for _ in range(5)]

    result = summarise(trials, values_of(trials, *[1.0] * 5), kind=ProfileKind.RATE)

    assert list(told(result)) == [Verdict.OK]


def test_no_bound_is_derived_from_a_trial_without_cpu_sets() -> None:
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "cpus"}
    trials = [trial(environment) for _ in range(5)]

    result = summarise(trials, values_of(trials, *[1.0] * 5), kind=ProfileKind.RATE)

    assert list(told(result)) == [Verdict.OK]
