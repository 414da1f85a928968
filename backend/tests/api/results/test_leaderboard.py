"""GET /leaderboard: latest valid results under the same conditions, ranked."""

from collections.abc import Iterator
from typing import Any, cast
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.documents import TrialEnvironment
from backend.core.models import Cell, CellSummary, MetricValue, Scenario, Trial
from backend.core.results.cell_summary import write_summaries
from backend.core.runs.repository import get_run
from backend.core.units import RuntimeKind
from backend.tests.answers import document, faults, problem
from backend.tests.api.results.comparisons.test_compare import measure
from backend.tests.factories import add_host, ask_run, succeed_next

LEADERBOARD = "/api/v1/leaderboard"
P99 = {"scenario": "hello", "metric": "latency_p99_ms"}
THREE = ("node", "go-nethttp", "express")


def read(client: TestClient, **query: Any) -> dict[str, Any]:
    return document(client.get(LEADERBOARD, params=P99 | query))


def ranks(board: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(entry["result"]["framework"]["slug"], entry["rank"]) for entry in board["entries"]]


def ranked_instead(board: dict[str, Any]) -> dict[str, str | None]:
    """Return the field of the results of other boards, by framework."""
    return {item["result"]["framework"]["slug"]: item["ranked_instead"] for item in board["apart"]}


def test_frameworks_are_ordered_by_rank_with_their_ratio_to_the_best(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=THREE)

    board = read(client)

    assert ranks(board) == [("node", 1), ("go-nethttp", 2), ("express", 3)]
    best, second, _ = board["entries"]
    assert best["to_best"] is None
    assert second["to_best"]["ratio"] == pytest.approx(2, rel=0.01)
    assert (second["to_best"]["is_better"], second["to_best"]["method"]) == (False, "paired")
    assert (board["host"], board["profile"], board["runtime"]) == (
        "bench-01",
        "rate-quick",
        "process",
    )


def test_equivalent_results_share_a_rank(client: TestClient, host_id: UUID) -> None:
    measure(host_id, 1.0)
    measure(host_id, 1.01, frameworks=("go-nethttp",))
    measure(host_id, 5.0, frameworks=("express",))

    board = read(client)

    assert ranks(board) == [("node", 1), ("go-nethttp", 1), ("express", 3)]
    alike = [[*entry["equivalent"], *entry["undecided"]] for entry in board["entries"]]
    assert alike == [["go-nethttp"], ["node"], []]


def test_only_the_latest_valid_result_of_each_framework_counts(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, 9.0)
    (latest,) = measure(host_id, 1.0)
    (excluded,) = measure(host_id, 0.1)
    (only,) = measure(host_id, 0.1, frameworks=("go-nethttp",))
    with unit_of_work() as session:
        rows = session.query(CellSummary).filter(CellSummary.cell_id.in_([excluded, only]))
        rows.update({"excluded": True})

    board = read(client)

    assert [entry["result"]["cell_id"] for entry in board["entries"]] == [latest]
    assert [item["cell_id"] for item in board["excluded"]] == [only]


def test_incomparable_results_are_listed_separately_with_the_difference(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    (apart,) = measure(host_id, 0.1, frameworks=("express",), runtime=RuntimeKind.DOCKER)

    board = read(client)

    assert ranks(board) == [("node", 1), ("go-nethttp", 2)]
    (other,) = board["apart"]
    assert other["result"]["cell_id"] == apart
    assert "runtime" in [difference["subject"] for difference in other["differences"]]
    assert ranks(read(client, board=other["board"])) == [("express", None)]


def test_a_result_of_another_board_names_the_run_that_is_ranked_instead(
    client: TestClient, host_id: UUID
) -> None:
    ranked, _ = measure(host_id, frameworks=("node", "go-nethttp"))
    board = read(client)["board"]
    measure(host_id, frameworks=("express",), parameters={"rate_rps": 7})
    (newer,) = measure(host_id, parameters={"rate_rps": 7})

    found = read(client, board=board)
    assert ranked_instead(found) == {"express": None, "node": "older_run"}
    subjects = [item["subject"] for item in found["apart"][0]["differences"]]
    assert "parameters.rate_rps" in subjects

    with unit_of_work() as session:
        same_run = session.get_one(CellSummary, ranked)
        summary = session.get_one(CellSummary, newer)
        summary.run_id, summary.at = same_run.run_id, same_run.at
    assert ranked_instead(read(client, board=board))["node"] == "same_run"


def test_another_host_harness_or_scenario_is_never_ranked_together(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    changed = {"host_digest": "express", "harness_digest": "fastapi", "scenario_digest": "sinatra"}
    for column, framework in changed.items():
        (apart,) = measure(host_id, 0.1, frameworks=(framework,))
        with unit_of_work() as session:
            cell = session.get_one(Cell, apart)
            if column == "scenario_digest":
                cell.scenario_digest = "other"
            for trial in session.query(Trial).filter_by(cell_id=apart):
                environment = {**trial.environment, column: "other"}
                trial.environment = cast("TrialEnvironment", environment)
            session.flush()
            write_summaries(session, get_run(session, str(cell.run_id)))

    board = read(client)

    assert [slug for slug, _ in ranks(board)] == ["node", "go-nethttp"]
    assert set(ranked_instead(board)) == set(changed.values())


def test_each_host_has_its_own_boards(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        other = add_host(session, "bench-02").id
    measure(host_id, host="bench-01")
    measure(other, 5.0, frameworks=("go-nethttp",), host="bench-02")

    assert read(client)["host"] == "bench-02"
    assert ranks(read(client, host="bench-02")) == [("go-nethttp", None)]
    assert ranks(read(client, host="bench-01")) == [("node", None)]


def test_the_default_board_has_the_most_results_that_can_be_trusted(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    measure(host_id, frameworks=THREE, parameters={"rate_rps": 7}, count=2)

    board = document(client.get(LEADERBOARD))

    assert board["parameters"]["rate_rps"] == 1000
    assert (board["trusted"], board["unwarned"], len(board["entries"])) == (0, 2, 2)
    few = document(client.get(LEADERBOARD, params={"board": board["apart"][0]["board"]}))
    assert (few["unwarned"], len(few["entries"])) == (0, 3)

    calibrate(host_id)
    measure(host_id, frameworks=THREE, parameters={"rate_rps": 9})
    with unit_of_work() as session:
        moved = session.query(CellSummary).filter(CellSummary.parameters["rate_rps"].astext == "9")
        moved.update({"host_digest": "before the calibration"}, synchronize_session=False)

    trusted = document(client.get(LEADERBOARD))
    assert (trusted["parameters"]["rate_rps"], trusted["trusted"]) == (1000, 2)


def calibrate(host_id: UUID) -> None:
    """Run a calibration of the host in the state in which it measures."""
    with unit_of_work() as session:
        ask_run(session, purpose="calibration")
        succeed_next(session, host_id)


def test_a_composite_requires_all_metrics_in_one_trial(client: TestClient, host_id: UUID) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    with unit_of_work() as session:
        node = session.query(Cell).filter_by(position=0).one().id
        for trial in session.query(Trial).filter_by(cell_id=node):
            other = "boot_ms" if trial.repetition > 1 else "latency_p99_ms"
            session.query(MetricValue).filter_by(trial_id=trial.id, metric=other).delete()

    board = read(client, weights="latency_p99_ms:1,boot_ms:1")

    assert ranks(board) == [("go-nethttp", None), ("node", None)]
    assert board["entries"][1]["missing"] == ["latency_p99_ms", "boot_ms"]


def test_a_composite_weights_each_trial_and_lists_missing_metrics(
    client: TestClient, host_id: UUID
) -> None:
    _, _, lacking = measure(host_id, frameworks=THREE)
    with unit_of_work() as session:
        trials = [item.id for item in session.query(Trial).filter_by(cell_id=lacking)]
        rows = session.query(MetricValue).filter(MetricValue.trial_id.in_(trials))
        rows.filter_by(metric="latency_p99_ms").delete()

    board = read(client, weights="latency_p99_ms:3,boot_ms:1")

    assert board["weights"] == {"latency_p99_ms": 3, "boot_ms": 1}
    assert ranks(board) == [("node", 1), ("go-nethttp", 2), ("express", None)]
    _, second, third = board["entries"]
    # p99 is twice as long with a weight of three quarters; the boot time is equal.
    assert second["to_best"]["ratio"] == pytest.approx(2**0.75, rel=0.01)
    assert (third["coverage"], third["missing"]) == (0.25, ["latency_p99_ms"])


def test_higher_is_better_in_throughput_and_its_composites(
    client: TestClient, host_id: UUID
) -> None:
    measure(host_id, frameworks=("node", "go-nethttp"))
    with unit_of_work() as session:
        session.query(MetricValue).filter(
            MetricValue.metric == "throughput_rps",
            MetricValue.trial_id.in_(
                session.query(Trial.id)
                .join(Cell, Cell.id == Trial.cell_id)
                .filter(Cell.position == 1)
                .scalar_subquery()
            ),
        ).update({"value": 500.0}, synchronize_session=False)

    plain = read(client, metric="throughput_rps")
    composite = read(client, weights="throughput_rps:1")

    assert ranks(plain) == ranks(composite) == [("go-nethttp", 1), ("node", 2)]
    assert plain["entries"][1]["to_best"]["ratio"] == pytest.approx(0.01)
    assert composite["entries"][1]["to_best"]["ratio"] == pytest.approx(100)


@pytest.fixture
def cars(client: TestClient, host_id: UUID) -> Iterator[str]:
    """Another scenario that differs from hello only in its name."""
    with unit_of_work() as session:
        hello = session.query(Scenario).filter(Scenario.slug == "hello").one()
        manifest, digest = hello.manifest, hello.digest
        session.add(Scenario(slug="cars", name="Cars", manifest=manifest, digest=digest))
    yield "cars"
    with unit_of_work() as session:
        session.query(CellSummary).filter(CellSummary.scenario == "cars").delete()
        session.query(Scenario).filter(Scenario.slug == "cars").delete()


def test_omitted_parameters_are_those_of_the_newest_valid_result(
    client: TestClient, host_id: UUID, cars: str
) -> None:
    (excluded,) = measure(host_id)
    (older,) = measure(host_id)
    measure(host_id, profile="saturate-quick")
    (newest,) = measure(host_id)
    with unit_of_work() as session:
        summaries = {item.cell_id: item for item in session.query(CellSummary)}
        summaries[UUID(older)].scenario = cars
        summaries[UUID(newest)].excluded = True
        summaries[UUID(excluded)].excluded = True
        add_host(session, "bench-02")

    board = document(client.get(LEADERBOARD))

    assert (board["scenario"]["slug"], board["profile"]) == ("hello", "saturate-quick")
    assert (board["metric"], board["unit"]) == ("throughput_rps", "req/s")
    assert board["entries"][0]["estimate"]["unit"] == "req/s"
    assert board["hosts"] == ["bench-01"]
    asked = document(client.get(LEADERBOARD, params={"scenario": cars}))
    assert (asked["scenario"]["slug"], asked["kind"]) == ("cars", "rate")
    assert [entry["result"]["cell_id"] for entry in asked["entries"]] == [older]


def test_without_any_result_the_first_scenario_has_none(client: TestClient, host_id: UUID) -> None:
    board = document(client.get(LEADERBOARD))

    assert board["scenario"]["slug"] == "hello"
    assert (board["host"], board["hosts"], board["entries"]) == (None, [], [])


def test_an_invalid_query_is_refused_with_the_reason(client: TestClient, host_id: UUID) -> None:
    def ask(**query: Any) -> Any:
        return client.get(LEADERBOARD, params=P99 | query)

    problem(ask(scenario="nothing"), 404, "not_found")
    problem(ask(host="nowhere"), 404, "not_found")
    assert list(faults(ask(weights="speed:1"))) == ["weights"]
    assert list(faults(ask(weights="boot_ms:-1"))) == ["weights"]
    assert list(faults(ask(weights="boot_ms:1,boot_ms:2"))) == ["weights"]
    assert list(faults(ask(board="x"))) == ["board"]
    assert read(client, board="0" * 12)["entries"] == []
