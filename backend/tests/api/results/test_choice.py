"""GET /choice: one recommendation, what speaks against it, and what is missing."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.documents import StoredCellWarning
from backend.core.models import CellSummary, Host, MetricValue, Trial
from backend.core.results.cell_summary import write_summaries
from backend.core.runs.repository import get_run
from backend.core.units import Metric, Verdict
from backend.tests.answers import document, faults, problem
from backend.tests.api.results.comparisons.test_compare import measure
from backend.tests.factories import put_sources

CHOICE = "/api/v1/choice"
TWO = {"scenario": "hello", "frameworks": "node,go-nethttp"}
LATENCY = {"criteria": "latency"}


def choose(client: TestClient, **query: Any) -> dict[str, Any]:
    return document(client.get(CHOICE, params=TWO | query))


def set_values(cell: str, metric: Metric, values: list[float]) -> None:
    """Replace the values of a metric in the trials of a cell, and summarise its run again."""
    with unit_of_work() as session:
        trials = session.query(Trial).filter(Trial.cell_id == cell).order_by(Trial.repetition)
        for trial, value in zip(trials, values, strict=True):
            session.merge(MetricValue(trial_id=trial.id, metric=metric, value=value))
        session.flush()
        write_summaries(session, get_run(session, str(trials[0].run_id)))


def test_the_better_framework_by_the_first_criterion_is_recommended_with_its_size(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))

    choice = choose(client, criteria="latency,memory")

    assert (choice["outcome"], choice["best"]) == ("framework", ["node"])
    assert choice["headline"].startswith("Choose Node.js: it is fastest by latency p99, 2")
    (latency, _) = choice["columns"]
    assert latency["load"].endswith("req/s for 10 s")
    assert [row["framework"]["slug"] for row in choice["rows"]] == ["node", "go-nethttp"]
    assert [row["cells"][0]["rank"] for row in choice["rows"]] == [1, 2]


def test_what_speaks_against_the_recommendation_is_shown(client: TestClient, host_id: UUID) -> None:
    node, go = measure(host_id, frameworks=("node", "go-nethttp"))
    set_values(node, Metric.MEMORY_PEAK_BYTES, [40e6, 41e6, 40e6, 41e6, 40e6])
    set_values(go, Metric.MEMORY_PEAK_BYTES, [10e6, 10.2e6, 10e6, 10.2e6, 10e6])

    choice = choose(client, criteria="latency,memory")

    assert choice["best"] == ["node"]
    assert any(
        text.startswith("By memory peak, Go net/http is better: ") for text in choice["against"]
    )
    assert choose(client, criteria="memory,latency")["best"] == ["go-nethttp"]


def test_the_second_criterion_decides_between_equivalent_results(
    client: TestClient, host_id: UUID
) -> None:
    node, go = measure(host_id, frameworks=("node", "go-nethttp"))
    for cell in (node, go):
        set_values(cell, Metric.LATENCY_P99_MS, [5.0, 5.1, 5.0, 5.1, 5.0])
    set_values(node, Metric.MEMORY_PEAK_BYTES, [40e6, 41e6, 40e6, 41e6, 40e6])
    set_values(go, Metric.MEMORY_PEAK_BYTES, [10e6, 10.2e6, 10e6, 10.2e6, 10e6])

    choice = choose(client, criteria="latency,memory")

    assert (choice["outcome"], choice["best"]) == ("framework", ["go-nethttp"])
    assert choice["sentences"][0].endswith(" are equivalent in latency p99.")
    alike = choose(client, **LATENCY)
    assert (alike["outcome"], alike["run"]) == ("equivalent", None)
    assert "choose by other criteria" in alike["headline"]


def test_nothing_is_recommended_while_results_cannot_be_told_apart(
    client: TestClient, host_id: UUID
) -> None:
    node, go = measure(host_id, frameworks=("node", "go-nethttp"))
    set_values(node, Metric.LATENCY_P99_MS, [5.0, 9.0, 4.0, 8.0, 5.0])
    set_values(go, Metric.LATENCY_P99_MS, [6.0, 5.0, 9.0, 4.0, 8.0])

    # Memory would decide, but it matters less.
    choice = choose(client, criteria="latency,memory")

    assert choice["outcome"] == "undecided"
    assert set(choice["best"]) == {"node", "go-nethttp"}
    assert choice["headline"].endswith("cannot be told apart in latency p99")
    assert choice["run"]["label"] == "Measure 2 results here"
    assert choice["run"]["plan"]["trials"] > 5


def test_what_is_missing_is_named_and_can_be_queued(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"), parameters={"rate_rps": 300})

    choice = choose(client, frameworks="node,go-nethttp,express,spring-mvc", **LATENCY)

    assert choice["outcome"] == "framework"
    assert "Express and Spring MVC are not measured." in choice["missing"]
    run = choice["run"]
    cells = run["plan"]["cells"]
    assert {cell["parameters"]["rate_rps"] for cell in cells} == {300}
    assert {"express", "spring-mvc"} <= {cell["framework"] for cell in cells}
    queued = document(client.post("/api/v1/runs", json=run["plan"]), 202)
    assert queued["progress"]["trials_total"] == 5 * len(cells)


def test_only_missing_results_are_queued_while_the_conditions_still_hold(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    query = {"frameworks": "node,go-nethttp,express", **LATENCY}

    # The host has changed since: its results could not be compared with new ones.
    everything = choose(client, **query)["run"]
    assert everything["label"] == "Measure 3 results here"
    with unit_of_work() as session:
        session.get_one(Host, host_id).fingerprint_digest = "as measured"
    missing = choose(client, **query)["run"]
    assert missing["label"] == "Measure 1 missing result"
    assert [cell["framework"] for cell in missing["plan"]["cells"]] == ["express"]
    assert missing["seconds"] == pytest.approx(everything["seconds"] / 3)


def test_what_cannot_run_here_is_not_queued_and_its_reason_is_given(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        put_sources(session, session.get_one(Host, host_id), {"express": "express is missing."})

    choice = choose(client, frameworks="node,go-nethttp,express", **LATENCY)

    assert choice["missing"] == [
        "Node.js, Go net/http and Express are not measured.",
        "Express cannot run here: express is missing.",
    ]
    assert {cell["framework"] for cell in choice["run"]["plan"]["cells"]} == {"node", "go-nethttp"}
    document(client.post("/api/v1/runs", json=choice["run"]["plan"]), 202)


def test_a_result_of_too_few_trials_is_measured_again(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"), count=2)

    choice = choose(client, **LATENCY)

    assert choice["outcome"] == "nothing"
    assert choice["missing"] == ["Node.js and Go net/http have fewer than 3 trials."]
    assert len(choice["run"]["plan"]["cells"]) == 2


def test_numbers_of_other_loads_are_never_mixed(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node",))
    measure(host_id, frameworks=("go-nethttp",), parameters={"rate_rps": 7})

    choice = choose(client, **LATENCY)

    assert choice["outcome"] == "nothing"
    found = {row["framework"]["slug"]: row["cells"][0] for row in choice["rows"]}
    assert sorted(cell["availability"] for cell in found.values()) == ["elsewhere", "measured"]
    (rate,) = choice["parameters"]
    assert (rate["title"], rate["unit"], rate["values"]) == ("Rate", "req/s", [7, 1000])


def test_a_load_that_was_never_measured_is_planned(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))

    choice = choose(client, load="rate_rps:500", **LATENCY)

    assert choice["outcome"] == "nothing"
    cells = choice["run"]["plan"]["cells"]
    assert [cell["parameters"]["rate_rps"] for cell in cells] == [500, 500]
    assert choice["missing"] == [
        "Node.js and Go net/http are only measured under other conditions."
    ]


def test_memory_at_a_rate_is_not_that_of_another_kind_of_load(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"), profile="saturate-quick")

    choice = choose(client, load="rate_rps:500", criteria="latency,memory")

    assert {column["load"] for column in choice["columns"]} == {None}
    cells = choice["run"]["plan"]["cells"]
    assert [cell["profile"] for cell in cells] == ["rate-quick", "rate-quick"]
    assert [column["load"] for column in choose(client, criteria="memory")["columns"]] != [None]


def test_an_excluded_result_is_not_ranked_and_its_reason_is_given(
    client: TestClient, host_id: UUID
) -> None:
    _, go = measure(host_id, frameworks=("node", "go-nethttp", "express"))[:2]
    verdict: StoredCellWarning = {
        "verdict": Verdict.TOO_MANY_ERRORS,
        "detail": "Many.",
        "trials": 5,
    }
    with unit_of_work() as session:
        row = session.get_one(CellSummary, go)
        row.excluded, row.verdicts = True, [verdict]

    choice = choose(client, frameworks="node,go-nethttp,express", **LATENCY)

    assert choice["best"] == ["node"]
    assert "Go net/http is excluded: too many errors." in choice["missing"]


def test_all_frameworks_of_a_language_are_compared(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "express"))

    choice = document(
        client.get(CHOICE, params={"scenario": "hello", "language": "javascript", **LATENCY})
    )

    assert choice["best"] == ["node"]
    assert {"node", "express"} <= {row["framework"]["slug"] for row in choice["rows"]}


def test_exports_show_the_recommendation_and_each_result(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    query = TWO | LATENCY

    markdown = client.get(f"{CHOICE}/export.md", params=query).text
    rows = client.get(f"{CHOICE}/export.csv", params=query).text.splitlines()

    assert markdown.startswith("# Choose Node.js: ")
    assert "| Go net/http |" in markdown
    assert [row.split(",")[0] for row in rows] == ["framework", "node", "go-nethttp"]


@pytest.mark.parametrize(
    ("query", "field", "detail"),
    [
        ({"frameworks": ""}, "frameworks", "Name at least two frameworks, or a language."),
        ({"frameworks": "node"}, "frameworks", "Name at least two frameworks, separated by comm"),
        ({"criteria": "beauty"}, "criteria", "'beauty' is not a criterion."),
        ({"load": "rate_rps"}, "load", "Write 'rate_rps' as a name and a number"),
        ({"load": "colour:3"}, "load", "No load of Hello has the parameter 'colour'."),
    ],
)
def test_mistakes_are_named_with_their_field(
    client: TestClient, query: dict[str, str], field: str, detail: str
) -> None:
    answer = client.get(CHOICE, params=TWO | query)

    assert faults(answer)[field].startswith(detail)


def test_unknown_names_are_not_found(client: TestClient) -> None:
    for query in ({"scenario": "nothing"}, {"frameworks": "node,nothing"}, {"host": "nothing"}):
        assert (
            "'nothing'"
            in problem(client.get(CHOICE, params=TWO | query), 404, "not_found")["detail"]
        )
