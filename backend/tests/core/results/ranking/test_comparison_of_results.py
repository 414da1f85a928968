"""Labels and sentences of a comparison: never more than the statistics allow."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from backend.core.measurement.statistics.estimate import estimate
from backend.core.models import CellSummary, Framework, Run, Scenario
from backend.core.numbers import use_plain_spaces
from backend.core.results.cell_result import CellResult
from backend.core.results.ranking.comparison_of_results import (
    ResultComparison,
    compare_with_baseline,
    label_results,
)
from backend.core.units import METRICS, Metric

RUN = uuid4()
COST = Metric.CPU_US_PER_REQUEST
# Five trials of about 1 % noise.
NOISE = {1: 1.0, 2: 1.01, 3: 0.99, 4: 1.005, 5: 0.995}


def result(
    name: str,
    centre: float = 61,
    *,
    run: str = "k3v9q2mx4d",
    title: str = "Node or Go?",
    rate: int = 300,
    delay_ms: int | None = None,
    excluded_by: Sequence[str] = (),
    trials: int = len(NOISE),
    metrics: Sequence[Metric] = (COST,),
) -> CellResult:
    values: Mapping[Metric, dict[int, float]] = {
        metric: {trial: centre * noise for trial, noise in [*NOISE.items()][:trials]}
        for metric in metrics
    }
    cell = CellSummary(
        cell_id=uuid4(),
        run_id=RUN,
        runtime="process",
        framework=name.lower(),
        scenario="hello",
        kind="rate",
        parameters={"rate_rps": rate, "duration_seconds": 10}
        | ({} if delay_ms is None else {"delay_ms": delay_ms}),
        at=datetime(2026, 11, 20, 18, 40, tzinfo=UTC),
        verdicts=[{"verdict": verdict, "detail": "", "trials": 5} for verdict in excluded_by],
        excluded=bool(excluded_by),
    )
    return CellResult(
        summary=cell,
        run=Run(slug=run, title=title),
        host="bench-01",
        framework=Framework(slug=name.lower(), name=name),
        scenario=Scenario(slug="hello", name="Hello"),
        estimates={
            metric: estimate([*own.values()], METRICS[metric].aggregation)
            for metric, own in values.items()
        },
        values=values,
        environment={},
    )


def compare(results: Sequence[CellResult], baseline: UUID | None = None) -> ResultComparison:
    return compare_with_baseline(results, baseline or results[0].summary.cell_id)


def test_results_of_one_framework_are_labelled_by_their_differences_or_their_run() -> None:
    results = [
        result("Node", run="a"),
        result("Node", rate=100, run="b"),
        result("Go"),
        result("Node", run="d"),
    ]

    assert [use_plain_spaces(label) for label in label_results(results)] == [
        "Node, 300 req/s for 10 s, a",
        "Node, 100 req/s for 10 s",
        "Go",
        "Node, 300 req/s for 10 s, d",
    ]


def test_labels_name_only_the_part_of_the_load_that_differs() -> None:
    results = [
        result("Node", delay_ms=1000),
        result("Node", delay_ms=2000),
        result("Go", delay_ms=1000),
        result("Go"),
    ]

    assert [use_plain_spaces(label) for label in label_results(results)] == [
        "Node, upstream 1 000 ms",
        "Node, upstream 2 000 ms",
        "Go, upstream 1 000 ms",
        "Go",
    ]


def test_results_that_differ_only_in_their_runs_are_labelled_by_title_then_time() -> None:
    results = [result("Node"), result("Node", run="b", title="After the fix")]
    same_title = [result("Node", run="a"), result("Node", run="b")]

    assert label_results(results) == ["Node, Node or Go?", "Node, After the fix"]
    assert label_results(same_title) == ["Node, a", "Node, b"]


@pytest.mark.parametrize(
    ("results", "metric", "expected"),
    [
        (
            [result("Node"), result("Go", 30.5), result("X", rate=100)],
            COST,
            [
                "Go uses 2.00× [2.00, 2.00] less CPU per request than Node.",
                "X cannot be compared with Node because of a different rate.",
            ],
        ),
        (
            [result("Go", 30.5), result("Node"), result("Ruby", 122)],
            COST,
            [
                "Node uses 2.00× [2.00, 2.00] and Ruby 4.00× [4.00, 4.00] more CPU per request "
                "than Go."
            ],
        ),
        (
            [result("Node"), result("Go", 30.5, trials=1)],
            COST,
            ["Go cannot be told apart yet from Node in CPU per request: too few trials."],
        ),
        (
            [result("Node"), result("Go")],
            Metric.BOOT_MS,
            ["Go and the baseline have no common boot."],
        ),
        (
            [result("Node", excluded_by=["too_many_errors", "host_busy"]), result("Go")],
            COST,
            ["The baseline, Node, is excluded (too many errors), so nothing is compared with it."],
        ),
        (
            [result("Node"), result("Go", excluded_by=["too_many_errors"])],
            COST,
            ["Go is excluded (too many errors) and not compared."],
        ),
    ],
)
def test_results_are_compared_in_words(
    results: Sequence[CellResult], metric: Metric, expected: list[str]
) -> None:
    assert list(compare(results).sentences[metric]) == expected


def test_a_single_result_suggests_adding_another() -> None:
    assert "Add another" in compare([result("Node")]).sentences[COST][0]
