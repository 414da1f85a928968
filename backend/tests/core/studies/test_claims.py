"""Findings about the claims of a study, and its tables, given the results of a run."""

from collections.abc import Mapping
from uuid import uuid4

import pytest

from backend.core.catalog.study import Check, PublishedClaim, StudyManifest
from backend.core.statuses import StudyVariant
from backend.core.studies.agreement import correlate
from backend.core.studies.claims import ClaimFinding, judge_claim
from backend.core.studies.measured import MeasuredCell, MeasuredStep, Reproduction
from backend.core.studies.table_comparison import compare_table
from backend.core.units import Metric, Verdict

NAMES = ("One", "Two", "Three", "Four")
QUICK = StudyVariant.QUICK
THROUGHPUT = Metric.THROUGHPUT_RPS


def study(**table: object) -> StudyManifest:
    """Return a study of four systems under one load, with a table of throughputs."""
    rows = [
        {"head": name, "system": name, "cells": [printed]}
        for name, printed in zip(NAMES, ("100", "200", "300", ""), strict=True)
    ]
    whole = {
        "slug": "table",
        "title": "A table",
        "source_location": "Results",
        "document_table": 1,
        "experiment": "load",
        "metric": THROUGHPUT,
        "unit": "req/s",
        "columns": [{"head": "RPS"}],
        "rows": rows,
    }
    return StudyManifest.model_validate(
        {
            "slug": "study",
            "name": "A study",
            "description": "One of the tests.",
            "source": {"title": "A title", "kind": "Blog entry", "document": "document.txt"},
            "trials": {"quick": 2, "full": 5},
            "systems": [{"name": name, "framework": name.lower()} for name in NAMES],
            "experiments": {"load": {"name": "Load", "scenario": "hello", "profile": "saturate"}},
            "tables": [whole | table],
        }
    )


def cell(
    framework: str,
    values: list[float],
    *,
    metric: Metric = THROUGHPUT,
    excluded: bool = False,
    steps: Mapping[int, MeasuredStep] | None = None,
) -> MeasuredCell:
    """Return a cell of the load whose trials have these values."""
    return MeasuredCell(
        cell_id=uuid4(),
        framework=framework,
        scenario="hello",
        profile="saturate-quick",
        parameters={"connections": 50},
        values={metric: dict(enumerate(values, 1))} if values else {},
        trials_succeeded=len(values),
        trials_failed=0,
        trials_open=0,
        failure=None,
        verdicts=[Verdict.SERVER_IDLE] if excluded else [],
        excluded=excluded,
        steps=steps or {},
    )


def judge(check: dict[str, object], *cells: MeasuredCell) -> ClaimFinding:
    whole = {"experiment": "load", "metric": THROUGHPUT, "of": "One"} | check
    claim = PublishedClaim(
        words="So it is.", source_location="Results", checks=(Check.model_validate(whole),)
    )
    return judge_claim(claim, study(), Reproduction(QUICK, cells)).finding


ONE, TWO = cell("one", [100, 101, 102]), cell("two", [200, 202, 203])


@pytest.mark.parametrize(
    ("check", "finding"),
    [
        ({"relation": "less"}, ClaimFinding.HOLDS),
        ({"relation": "more"}, ClaimFinding.DOES_NOT_HOLD),
        ({"relation": "less", "by": [1.9, 2.1]}, ClaimFinding.HOLDS),
        ({"relation": "less", "by": [2.5, 3]}, ClaimFinding.DOES_NOT_HOLD),
        ({"relation": "less", "by": [2, 3]}, ClaimFinding.INCONCLUSIVE),
        ({"relation": "alike", "within": 1.2}, ClaimFinding.DOES_NOT_HOLD),
        ({"relation": "alike", "within": 2.5}, ClaimFinding.HOLDS),
    ],
)
def test_the_interval_of_a_ratio_decides(check: dict[str, object], finding: ClaimFinding) -> None:
    assert judge(check | {"against": ["Two"]}, ONE, TWO) is finding


def test_a_claim_against_several_systems_holds_only_if_all_checks_hold() -> None:
    check: dict[str, object] = {"relation": "less", "against": ["Two", "Three"]}

    assert judge(check, ONE, TWO, cell("three", [150, 151, 152])) is ClaimFinding.HOLDS
    assert judge(check, ONE, TWO, cell("three", [50, 51, 52])) is ClaimFinding.DOES_NOT_HOLD
    assert judge(check, ONE, TWO) is ClaimFinding.NOT_MEASURED


def test_too_few_or_excluded_trials_decide_nothing() -> None:
    check: dict[str, object] = {"relation": "less", "against": ["Two"]}

    assert judge(check, cell("one", [100]), cell("two", [200])) is ClaimFinding.INCONCLUSIVE
    assert (
        judge(check, ONE, cell("two", [200, 201, 202], excluded=True)) is ClaimFinding.INCONCLUSIVE
    )


def test_a_value_without_comparison_is_checked_against_its_bounds() -> None:
    assert judge({"between": [90, 110]}, ONE) is ClaimFinding.HOLDS
    assert judge({"between": [0, 90]}, ONE) is ClaimFinding.DOES_NOT_HOLD
    assert judge({"between": [0, 101]}, ONE) is ClaimFinding.INCONCLUSIVE


def test_a_system_that_fails_at_the_lowest_rate_sustains_less_than_any_other() -> None:
    failed = {100: MeasuredStep(latency_mean_ms={1: 1.0}, passed=False)}
    none = cell("one", [], steps=failed)
    some = cell("two", [300, 300], metric=Metric.SUSTAINED_RPS)
    check: dict[str, object] = {"metric": Metric.SUSTAINED_RPS, "against": ["Two"]}

    assert judge(check | {"relation": "less"}, none, some) is ClaimFinding.HOLDS
    assert judge(check | {"relation": "more"}, none, some) is ClaimFinding.DOES_NOT_HOLD


def test_a_claim_without_checks_is_not_checkable() -> None:
    claim = PublishedClaim(
        words="It is nice.", source_location="Results", unchecked="A matter of taste."
    )

    assert judge_claim(claim, study(), None).finding is ClaimFinding.NOT_CHECKABLE


def test_a_table_shows_measured_values_with_their_ratio_to_the_published_ones() -> None:
    run = Reproduction(QUICK, [ONE, TWO, cell("three", [600, 606]), cell("four", [7, 7])])
    first, _, _, last = compare_table(study(), study().tables[0], run).cells

    slot = first[0].figures[0]
    assert slot.published == 100
    assert slot.ratio == pytest.approx(1.01, abs=1e-3)
    assert slot.ratio_low == pytest.approx(0.985, abs=5e-3)
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
