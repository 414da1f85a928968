"""Findings about the claims of a study, and its tables, given the results of a run."""

from dataclasses import replace

import pytest

from backend.core.catalog.study_claims import PublishedClaim
from backend.core.measurement.instrument.disagreement import InstrumentError
from backend.core.results.studies.claims import judge_claim
from backend.core.results.studies.findings import ClaimFinding, FindingCause
from backend.core.results.studies.measured import MeasuredCell, Reproduction
from backend.core.results.studies.table_comparison import compare_table, correlate
from backend.core.units import Metric, Verdict
from backend.tests.core.results.studies.reproductions import (
    FULL,
    ONE,
    QUICK,
    RATE,
    THROUGHPUT,
    TWO,
    cell,
    decide,
    explain,
    judge,
    stepped,
    study,
)


@pytest.mark.parametrize(
    ("check", "finding"),
    [
        ({"relation": "less"}, ClaimFinding.HOLDS),
        ({"relation": "more"}, ClaimFinding.DOES_NOT_HOLD),
        ({"relation": "less", "by": [1.9, 2.1]}, ClaimFinding.HOLDS),
        ({"relation": "less", "by": [2.5, 3]}, ClaimFinding.DOES_NOT_HOLD),
        ({"relation": "less", "by": [2, 3]}, ClaimFinding.UNDECIDED),
        ({"relation": "alike", "within": 1.2}, ClaimFinding.DOES_NOT_HOLD),
        ({"relation": "alike", "within": 2.5}, ClaimFinding.HOLDS),
        ({"relation": "less", "about": 1.8}, ClaimFinding.HOLDS),
        ({"relation": "less", "about": 1.8, "tolerance": 0.05}, ClaimFinding.DOES_NOT_HOLD),
    ],
)
def test_the_interval_of_a_ratio_decides(check: dict[str, object], finding: ClaimFinding) -> None:
    assert judge(check | {"against": ["Two"]}, ONE, TWO) is finding


def test_a_claim_against_several_systems_holds_only_if_all_checks_hold() -> None:
    check: dict[str, object] = {"relation": "less", "against": ["Two", "Three"]}

    assert judge(check, ONE, TWO, cell("three", [150, 151, 152, 151, 150])) is ClaimFinding.HOLDS
    assert judge(check, ONE, TWO, cell("three", [50, 51, 52, 51, 50])) is ClaimFinding.DOES_NOT_HOLD
    assert explain(check, ONE, TWO) is FindingCause.NOT_MEASURED


def test_a_value_without_comparison_is_checked_against_its_bounds() -> None:
    assert judge({"between": [90, 110]}, ONE) is ClaimFinding.HOLDS
    assert judge({"between": [0, 90]}, ONE) is ClaimFinding.DOES_NOT_HOLD
    assert judge({"between": [0, 101]}, ONE) is ClaimFinding.UNDECIDED


def test_two_trials_refute_no_claim() -> None:
    few = cell("one", [100, 101]), cell("two", [200, 202])

    result = decide({"relation": "more", "against": ["Two"]}, *few)

    assert result.finding is ClaimFinding.UNDECIDED
    assert result.value == pytest.approx(0.5, abs=0.01)
    assert result.cause is FindingCause.TOO_FEW_TRIALS
    assert result.reason == "Only 2 trials; a claim is decided by at least 5."


def test_a_metric_is_compared_with_another_metric_of_the_same_system() -> None:
    both = replace(
        ONE,
        values={
            Metric.LATENCY_P95_MS: dict(enumerate([80, 81, 82, 80, 81], 1)),
            Metric.LATENCY_P50_MS: dict(enumerate([10, 10.1, 10.2, 10, 10.1], 1)),
        },
    )
    check: dict[str, object] = {
        "metric": Metric.LATENCY_P95_MS,
        "against_metric": Metric.LATENCY_P50_MS,
        "relation": "more",
        "about": 8,
    }

    result = decide(check, both)

    assert result.finding is ClaimFinding.HOLDS
    assert result.label == "Load, One: Latency p95 ÷ Latency p50"
    assert judge(check | {"about": 20}, both) is ClaimFinding.DOES_NOT_HOLD


def test_a_system_is_compared_with_another_under_another_load() -> None:
    limited = replace(TWO, parameters={"connections": 50, "timeout_ms": 500})
    check: dict[str, object] = {
        "relation": "less",
        "against": ["Two"],
        "against_experiment": "limit",
    }

    result = decide(check, ONE, limited)

    assert result.finding is ClaimFinding.HOLDS
    assert result.label == "Throughput: Load, One ÷ Load with a limit, Two"


def test_a_load_that_the_variant_does_not_measure_cannot_be_decided() -> None:
    result = decide({"parameters": {"connections": 500}, "between": [0, 1000]}, ONE)

    assert result.cause is FindingCause.UNDECIDABLE
    assert result.reason == "The quick variant does not measure this load."


def test_a_system_that_fails_at_the_lowest_rate_sustains_less_than_any_other() -> None:
    none, some = stepped("one", []), stepped("two", [300] * 5)
    check: dict[str, object] = {**RATE, "against": ["Two"]}

    assert judge(check | {"relation": "less"}, none, some) is ClaimFinding.HOLDS
    assert judge(check | {"relation": "more"}, none, some) is ClaimFinding.DOES_NOT_HOLD


def test_a_rate_between_two_steps_cannot_be_decided_by_this_variant() -> None:
    between: dict[str, object] = {**RATE, "between": [200, 299]}

    result = decide(between, stepped("one", [100] * 5), variant=FULL)

    assert result.cause is FindingCause.UNDECIDABLE
    assert (result.value, result.low, result.high) == (100, 100, 300)
    assert result.expected == "at least 200 and below 299"
    assert result.reason == "The steps of this variant are 200 requests per second apart."


def test_the_steps_of_the_full_variant_are_those_of_the_study_and_decide_a_rate() -> None:
    def find(least: int, most: int, sustained: int) -> ClaimFinding:
        check: dict[str, object] = {**RATE, "between": [least, most]}
        return decide(check, stepped("one", [sustained] * 5), variant=FULL).finding

    assert find(200, 299, 300) is ClaimFinding.DOES_NOT_HOLD
    assert find(200, 300, 300) is ClaimFinding.DOES_NOT_HOLD
    assert find(100, 300, 100) is ClaimFinding.HOLDS


def test_steps_that_are_too_short_to_show_an_overload_decide_no_rate() -> None:
    """200 threads with responses of one second pass 300 req/s: the last request waits 2.5 s."""
    spring: dict[str, object] = {**RATE, "between": [200, 300]}

    result = decide(spring, stepped("one", [300] * 5))

    assert result.cause is FindingCause.UNDECIDABLE
    assert (result.value, result.high) == (300, 500)
    assert result.low == pytest.approx(135)
    assert result.reason is not None
    assert result.reason.replace("\u202f", " ").replace("\xa0", " ") == (
        "The steps are too short to show an overload: passing 300 req/s for 3 s with a timeout of "
        "3 s proves only 135 req/s."
    )
    # Five times the claimed rate is proof even in short steps, and so is a failure.
    assert judge({**RATE, "between": [100, 140]}, stepped("one", [700] * 5)) is (
        ClaimFinding.DOES_NOT_HOLD
    )
    assert judge({**RATE, "between": [500, 600]}, stepped("one", [300] * 5)) is (
        ClaimFinding.DOES_NOT_HOLD
    )
    assert explain({**RATE, "between": [100, 300]}, stepped("one", [100] * 5)) is (
        FindingCause.UNDECIDABLE
    )


def test_short_steps_decide_which_of_two_rates_is_higher_but_not_by_how_much() -> None:
    more: dict[str, object] = {**RATE, "relation": "more", "against": ["Two"]}
    cells = stepped("one", [700] * 5), stepped("two", [300] * 5)

    assert judge(more, *cells) is ClaimFinding.HOLDS
    assert decide(more | {"by": [1.2, 4]}, *cells, variant=FULL).finding is ClaimFinding.HOLDS
    assert explain(more | {"by": [1.2, 4]}, *cells) is FindingCause.UNDECIDABLE
    # Under another load, the same steps prove another share of the rate.
    longer = replace(cells[1], parameters={**cells[1].parameters, "step_seconds": 60})
    assert explain(more, cells[0], longer) is FindingCause.UNDECIDABLE


def test_two_systems_at_the_same_step_or_at_the_highest_are_not_distinguished() -> None:
    more: dict[str, object] = {**RATE, "relation": "more", "against": ["Two"]}

    same = decide(more, stepped("one", [300] * 5), stepped("two", [300] * 5))
    highest = decide(more, stepped("one", [900] * 5), stepped("two", [900] * 5))

    assert (same.cause, highest.cause) == (FindingCause.UNDECIDABLE,) * 2
    assert highest.reason == "A service sustained even the highest rate of this variant."
    assert judge(more, stepped("one", [900] * 5), stepped("two", [700] * 5)) is ClaimFinding.HOLDS


def test_a_claim_without_checks_is_not_checkable() -> None:
    claim = PublishedClaim(
        words="It is nice.", source_location="Results", unchecked="A matter of taste."
    )

    assert judge_claim(claim, study(), None).cause is FindingCause.NOT_CHECKABLE


def test_the_errors_of_the_host_are_part_of_a_claim() -> None:
    """A host that detects 20 % confirms a difference of 30 %, and does not decide about 10 %."""
    error = InstrumentError(detectable={(THROUGHPUT, False): 1.2})
    check: dict[str, object] = {"relation": "more", "against": ["Two"]}
    slow = cell("two", [100, 101, 99, 100, 100], instrument=error)

    fast = cell("one", [130, 131, 129, 130, 130], instrument=error)
    assert decide(check, fast, slow).finding is ClaimFinding.HOLDS

    near = cell("one", [110, 111, 109, 110, 110], instrument=error)
    assert decide(check, near, slow).finding is ClaimFinding.UNDECIDED

    exact = cell("one", [110, 111, 109, 110, 110]), cell("two", [100, 101, 99, 100, 100])
    assert decide(check, *exact).finding is ClaimFinding.HOLDS


def test_a_table_shows_measured_values_with_their_ratio_to_the_published_ones() -> None:
    run = Reproduction(QUICK, [ONE, TWO, cell("three", [600, 606]), cell("four", [7, 7])])
    first, _, _, last = compare_table(study(), study().tables[0], run).cells

    slot = first[0].figures[0]
    assert slot.published == 100
    assert slot.ratio == pytest.approx(1.008, abs=1e-3)
    assert slot.ratio_low == pytest.approx(0.998, abs=5e-3)
    # Without a published figure, there is only the measured value.
    assert (last[0].figures[0].published, last[0].figures[0].ratio) == (None, None)
    assert last[0].figures[0].measured.estimate is not None


def test_orders_compare_the_systems_that_may_be_ranked() -> None:
    table = study().tables[0]
    same = Reproduction(QUICK, [ONE, TWO, cell("three", [300, 303]), cell("four", [7, 7])])
    excluded = Reproduction(QUICK, [ONE, TWO, cell("three", [300, 303], excluded=True)])

    (order,) = compare_table(study(), table, same).orders
    assert order.agreement is not None
    assert (order.agreement.n, order.agreement.kendall, order.agreement.spearman) == (3, 1, 1)
    (order,) = compare_table(study(), table, excluded).orders
    assert order.agreement is None
    assert order.systems == ["One", "Two"]


def test_an_unresponsive_system_is_last_in_both_orders() -> None:
    marked = study(metric=Metric.LATENCY_MEAN_MS, unit="ms", failed="X").tables[0]
    rows = tuple(
        row.model_copy(update={"cells": (printed,)})
        for row, printed in zip(marked.rows, ("1", "2", "X", "X"), strict=True)
    )
    marked = marked.model_copy(update={"rows": rows})
    ms = Metric.LATENCY_MEAN_MS
    unable = cell("three", [5000.0], metric=ms)
    unable = MeasuredCell(**{**vars(unable), "values": {Metric.SUCCESS_RATIO: {1: 0.1}}})
    cells = [cell("one", [1.0], metric=ms), cell("two", [3.0], metric=ms), unable]

    (order,) = compare_table(study(), marked, Reproduction(QUICK, cells)).orders

    assert order.systems == ["One", "Two", "Three"]
    assert order.agreement is not None
    assert order.agreement.kendall == 1


def test_rank_correlation_matches_its_definition() -> None:
    # One of six pairs is in the opposite order; the squared differences of ranks sum to 2.
    found = correlate([10, 20, 30, 40], [1, 3, 2, 4])

    assert found is not None
    assert found.kendall == pytest.approx((5 - 1) / 6)
    assert found.spearman == pytest.approx(1 - 6 * 2 / (4 * (4**2 - 1)))
    assert correlate([1, 2], [1, 2]) is None
    assert correlate([1, 1, 1], [1, 2, 3]) is None


def test_a_result_is_shown_in_the_unit_of_the_published_figure() -> None:
    table = study(
        metric=Metric.CPU_US_PER_REQUEST,
        unit=None,
        columns=[{"head": "200 req/s", "divide_by": 36000}],
        rows=[
            {"head": "One", "system": "One", "cells": ["32.6 s"]},
            {"head": "Two", "system": "Two", "cells": ["1.14 min"]},
        ],
    ).tables[0]
    cells = [cell(name, [1630.0] * 5, metric=Metric.CPU_US_PER_REQUEST) for name in ("one", "two")]

    compared = compare_table(study(), table, Reproduction(QUICK, cells)).cells

    shown = [line[0].figures[0].shown for line in compared]
    assert [(round(item.value, 3), item.unit) for item in shown if item] == [
        (58.68, "s"),
        (0.978, "min"),
    ]


def test_memory_of_several_services_is_compared_as_that_of_one() -> None:
    table = study(
        metric=Metric.MEMORY_PEAK_BYTES,
        unit=None,
        services=6,
        rows=[{"head": "One", "system": "One", "cells": ["54 MB"]}],
    ).tables[0]
    measured = cell("one", [324e6] * 5, metric=Metric.MEMORY_PEAK_BYTES)

    figure = compare_table(study(), table, Reproduction(QUICK, [measured])).cells[0][0].figures[0]

    assert figure.ratio == pytest.approx(1)

    few = cell("one", [318e6, 330e6], metric=Metric.MEMORY_PEAK_BYTES)
    figure = compare_table(study(), table, Reproduction(QUICK, [few])).cells[0][0].figures[0]
    assert figure.measured.estimate is not None
    assert figure.measured.estimate.values == pytest.approx((53e6, 55e6))


def test_a_figure_without_a_counterpart_states_the_reason() -> None:
    table = study(
        metric=None,
        unit=None,
        rows=[{"head": "One", "system": "One", "cells": ["211 B"], "unpaired": "Another call."}],
    ).tables[0]

    figure = compare_table(study(), table, Reproduction(QUICK, [ONE])).cells[0][0].figures[0]

    assert (figure.measured.reason, figure.ratio) == ("Another call.", None)


def test_a_bound_decides_no_claim_about_its_metric_but_others() -> None:
    cpu = Metric.CPU_US_PER_REQUEST
    full, other = (cell(name, [100, 101, 102, 100, 101], metric=cpu) for name in ("one", "two"))
    full = replace(full, verdicts=[Verdict.SERVICE_SATURATED])

    found = decide(
        {"metric": cpu, "relation": "alike", "within": 2, "against": ["Two"]}, full, other
    )

    assert found.finding is ClaimFinding.UNDECIDED
    assert found.cause is FindingCause.HOST_TOO_SMALL
    assert found.reason == "Excluded from ranking: service saturated."
    same_load = replace(ONE, verdicts=[Verdict.SERVICE_SATURATED])
    assert judge({"relation": "less", "against": ["Two"]}, same_load, TWO) is ClaimFinding.HOLDS
