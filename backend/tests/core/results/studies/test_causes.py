"""Why a claim does not hold or is undecided, by rules about results and declarations."""

from dataclasses import replace

import pytest

from backend.core.catalog.study import ExpectedExclusion, StudyManifest
from backend.core.results.studies.findings import ClaimFinding, FindingCause
from backend.core.results.studies.measured import MeasuredCell, MeasuredStep
from backend.core.units import Metric, ProfileKind, Verdict
from backend.tests.core.results.studies.reproductions import (
    ONE,
    RATE,
    TWO,
    cell,
    decide,
    explain,
    judge,
    stepped,
    study,
)

WRONG: dict[str, object] = {"relation": "more", "against": ["Two"]}
RIGHT: dict[str, object] = {"relation": "less", "against": ["Two"]}


def declare(*verdicts: Verdict) -> StudyManifest:
    """Return the study with verdicts of its second system that are the study's point."""
    expected = ExpectedExclusion(
        experiment="load", systems=("Two",), verdicts=verdicts, reason="The study's point."
    )
    return study().model_copy(update={"expected_exclusions": (expected,)})


def with_success(measured: MeasuredCell, ratio: float, *verdicts: Verdict) -> MeasuredCell:
    ratios = {Metric.SUCCESS_RATIO: dict.fromkeys(range(1, 6), ratio)}
    return replace(measured, values={**measured.values, **ratios}, verdicts=list(verdicts))


def loaded(measured: MeasuredCell, kind: ProfileKind, cores: float) -> MeasuredCell:
    """Return a cell whose service has one CPU and uses so much of it."""
    used = {Metric.CPU_CORES: dict.fromkeys(range(1, 6), cores)}
    return replace(measured, kind=kind, values={**measured.values, **used}, service_cpus=1)


def test_a_framework_that_is_another_system_contradicts_nothing() -> None:
    other = study().systems[1].model_copy(update={"measured_instead": "A library"})
    declared = study().model_copy(
        update={"systems": (study().systems[0], other, *study().systems[2:])}
    )

    assert decide(WRONG, ONE, TWO, of=declared).cause is FindingCause.DIFFERENT_SYSTEM
    assert decide(RIGHT, ONE, TWO, of=declared).finding is ClaimFinding.HOLDS
    # The other systems are those of the study.
    against: dict[str, object] = {"relation": "more", "against": ["Three"]}
    three = cell("three", [200, 202, 203, 201, 202])
    assert decide(against, ONE, three, of=declared).cause is FindingCause.CONTRADICTED
    # A contradicted check decides a claim before a check of another system.
    both: dict[str, object] = {"relation": "more", "against": ["Two", "Three"]}
    assert decide(both, ONE, TWO, three, of=declared).cause is FindingCause.CONTRADICTED


@pytest.mark.parametrize(
    ("kind", "pause_ms", "cores", "cause"),
    [
        (ProfileKind.RATE, 0, 0.97, FindingCause.HOST_TOO_SMALL),
        (ProfileKind.USERS, 500, 0.97, FindingCause.HOST_TOO_SMALL),
        (ProfileKind.RATE, 0, 0.9, FindingCause.CONTRADICTED),
        # These loads use all that a service has.
        (ProfileKind.USERS, 0, 1.0, FindingCause.CONTRADICTED),
        (ProfileKind.SATURATE, 0, 1.0, FindingCause.CONTRADICTED),
    ],
)
def test_a_load_that_needs_more_cpu_than_there_is_contradicts_nothing(
    kind: ProfileKind, pause_ms: int, cores: float, cause: FindingCause
) -> None:
    full = replace(loaded(ONE, kind, cores), parameters={"pause_ms": pause_ms})

    assert explain(WRONG, full, TWO) is cause


def test_a_study_on_as_few_cpus_can_be_contradicted() -> None:
    full = loaded(ONE, ProfileKind.RATE, 1.0)

    def explain_with(cpus: int) -> FindingCause | None:
        source = study().source.model_copy(update={"cpus": cpus})
        return decide(WRONG, full, TWO, of=study().model_copy(update={"source": source})).cause

    assert explain_with(1) is FindingCause.CONTRADICTED
    assert explain_with(8) is FindingCause.HOST_TOO_SMALL


def test_a_system_that_needs_more_cpus_contradicts_nothing() -> None:
    many = study().systems[0].model_copy(update={"cpus": 8})
    declared = study().model_copy(update={"systems": (many, *study().systems[1:])})

    assert decide(WRONG, replace(ONE, service_cpus=1), TWO, of=declared).cause is (
        FindingCause.HOST_TOO_SMALL
    )
    assert decide(WRONG, replace(ONE, service_cpus=8), TWO, of=declared).cause is (
        FindingCause.CONTRADICTED
    )


def test_the_last_step_shows_whether_the_host_was_too_small() -> None:
    def with_cores(cores: float) -> MeasuredCell:
        steps = {
            rate: MeasuredStep(latency_mean_ms={1: 1.0}, passed=rate < 500, cpu_cores=used)
            for rate, used in ((300, 0.5), (500, cores))
        }
        return replace(stepped("one", [300] * 5), steps=steps, service_cpus=1)

    more: dict[str, object] = {**RATE, "relation": "more", "against": ["Two"]}
    better = stepped("two", [700] * 5)

    assert explain(more, with_cores(1.0), better) is FindingCause.HOST_TOO_SMALL
    assert explain(more, with_cores(0.5), better) is FindingCause.CONTRADICTED


@pytest.mark.parametrize(
    ("verdict", "cause"),
    [
        (Verdict.NEVER_STEADY, FindingCause.NOT_STEADY),
        (Verdict.STEADINESS_NOT_TESTED, FindingCause.NOT_STEADY),
        (Verdict.GENERATOR_SATURATED, FindingCause.HOST_TOO_SMALL),
        (Verdict.WRONG_ANSWERS, FindingCause.EXCLUDED),
    ],
)
def test_an_excluded_result_decides_nothing_and_its_verdict_is_the_cause(
    verdict: Verdict, cause: FindingCause
) -> None:
    found = decide(RIGHT, ONE, replace(TWO, verdicts=[verdict]))

    assert (found.finding, found.cause) == (ClaimFinding.UNDECIDED, cause)


def test_a_load_without_a_steady_state_because_the_cpu_is_full_has_that_cause() -> None:
    full = replace(loaded(TWO, ProfileKind.RATE, 1.0), verdicts=[Verdict.NEVER_STEADY])

    assert explain(RIGHT, ONE, full) is FindingCause.HOST_TOO_SMALL


def test_verdicts_about_the_load_decide_nothing_about_the_boot() -> None:
    boot: dict[str, object] = {"metric": Metric.BOOT_MS, **RIGHT}
    one, two = (
        cell(name, [ms] * 5, metric=Metric.BOOT_MS) for name, ms in (("one", 200), ("two", 2000))
    )
    verdicts = [Verdict.SERVER_IDLE, Verdict.NEVER_STEADY, Verdict.TOO_MANY_ERRORS]

    assert judge(boot, one, replace(two, verdicts=verdicts)) is ClaimFinding.HOLDS


def test_the_point_of_a_study_counts() -> None:
    verdicts = Verdict.TOO_MANY_ERRORS, Verdict.NEVER_STEADY
    few = with_success(cell("two", [3, 3, 4, 3, 3]), 0.05, *verdicts)
    more: dict[str, object] = {"relation": "more", "against": ["Two"]}

    assert explain(more, ONE, few) is FindingCause.NOT_STEADY
    assert decide(more, ONE, few, of=declare(*verdicts)).finding is ClaimFinding.HOLDS


def test_an_unsteady_result_decides_nothing_if_its_service_answered() -> None:
    """Without an overload, a declared verdict does not make the number that of a warm service."""
    unsteady = with_success(TWO, 0.98, Verdict.NEVER_STEADY)

    found = decide(RIGHT, ONE, unsteady, of=declare(Verdict.NEVER_STEADY))

    assert found.cause is FindingCause.NOT_STEADY


def test_no_answer_at_all_is_less_than_one_answer() -> None:
    silent = replace(cell("two", [0] * 5), parameters={"duration_seconds": 10})
    more: dict[str, object] = {"relation": "more", "against": ["Two"]}

    found = decide(more, ONE, silent)

    assert found.finding is ClaimFinding.HOLDS
    assert found.value == pytest.approx(1008, rel=0.01)
    assert found.high is None
    assert found.reason is not None
    assert "at least the value shown" in found.reason
    # 1,000 times is proven, so a claim of 100 times is wrong, and one of 2,000 times is open.
    assert explain(more | {"about": 100}, ONE, silent) is FindingCause.CONTRADICTED
    assert explain(more | {"about": 2000}, ONE, silent) is FindingCause.INTERVAL_TOO_WIDE
    assert judge(RIGHT, ONE, silent) is ClaimFinding.DOES_NOT_HOLD
    assert judge(more, silent, silent) is ClaimFinding.UNDECIDED


def test_shares_are_compared_by_their_difference() -> None:
    share: dict[str, object] = {"metric": Metric.SUCCESS_RATIO, **RIGHT}
    none = with_success(ONE, 0.0, Verdict.TOO_MANY_ERRORS)

    found = decide(share, none, with_success(TWO, 1.0))

    assert (found.finding, found.value, found.is_ratio) == (ClaimFinding.HOLDS, -1, False)
    assert explain(share, with_success(ONE, 1.0), with_success(TWO, 1.0)) is (
        FindingCause.CONTRADICTED
    )


def test_two_values_may_differ_in_either_direction() -> None:
    differ: dict[str, object] = {"relation": "differ", "against": ["Two"]}
    near = cell("two", [100, 101, 102, 100, 101])

    assert judge(differ, ONE, TWO) is ClaimFinding.HOLDS
    assert judge(differ, replace(TWO, framework="one"), replace(ONE, framework="two")) is (
        ClaimFinding.HOLDS
    )
    assert explain(differ, ONE, near) is FindingCause.CONTRADICTED
    wide = cell("two", [70, 101, 142, 90, 121])
    assert explain(differ, ONE, wide) is FindingCause.INTERVAL_TOO_WIDE


def test_the_spread_of_several_systems_is_compared_between_loads() -> None:
    limit = {"connections": 50, "timeout_ms": 500}
    wide = ONE, TWO, cell("three", [400, 401, 402, 400, 401])
    narrow = [
        replace(cell(name, [100.0 + plus] * 5), parameters=limit)
        for plus, name in enumerate(("one", "two", "three"))
    ]
    check: dict[str, object] = {
        "among": ["Two", "Three"],
        "against_experiment": "limit",
        "relation": "more",
    }

    found = decide(check, *wide, *narrow)

    assert found.finding is ClaimFinding.HOLDS
    assert found.value == pytest.approx(4 / 1.02, rel=0.02)
    assert "greatest ÷ least of One, Two, Three" in found.label
    assert explain(check, *wide, *narrow[:2]) is FindingCause.NOT_MEASURED
