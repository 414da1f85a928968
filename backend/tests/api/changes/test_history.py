"""GET /history: points that are measured under the same conditions form a series."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update

from backend.core.db import unit_of_work
from backend.core.models import CellMetric, CellSummary, Change, Run, Trial
from backend.core.units import Metric, RuntimeKind
from backend.tests.answers import document, faults, problem
from backend.tests.factories import add_host, ask_run, fail_next, succeed_next
from backend.tests.histories import History

HISTORY = "/api/v1/history"
NODE = {"framework": "node", "scenario": "hello"}


def measure(host_id: UUID, latency_ms: float = 1.0, trials: int = 1, **changes: Any) -> str:
    """Return the slug of a finished run."""
    runtime = changes.pop("runtime", RuntimeKind.PROCESS)
    with unit_of_work() as session:
        run = ask_run(session, count=trials, **{"visibility": "public", **changes})
        for _ in range(trials):
            succeed_next(session, host_id, [latency_ms] * 5, runtime)
        return run.slug


def read(client: TestClient, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document(client.get(HISTORY, params=NODE | query))["series"]
    return found


def boot_another_kernel(slugs: list[str]) -> None:
    """Let these runs end after a change of the kernel, and all others before it."""
    with unit_of_work() as session:
        cells = select(CellSummary, Trial, Run.slug).join(Run, Run.id == CellSummary.run_id)
        for summary, trial, slug in session.execute(
            cells.join(Trial, Trial.cell_id == CellSummary.cell_id)
        ):
            kernel = "6.12" if slug in slugs else "6.1"
            trial.environment = {"host": {"kernel": kernel}, "host_digest": f"of {kernel}"}
            summary.host_digest = f"of {kernel}"


def test_points_are_in_order_of_time_with_their_intervals(
    client: TestClient, host_id: UUID
) -> None:
    slugs = [measure(host_id, latency, trials=3) for latency in (1.0, 2.0, 4.0)]

    history = document(client.get(HISTORY, params=NODE | {"metric": "latency_p50_ms"}))

    assert history["scenario"]["slug"] == "hello"
    assert (history["metric"], history["unit"], history["direction"]) == (
        "latency_p50_ms",
        "ms",
        "lower",
    )
    (series,) = history["series"]
    assert (series["host"], series["runtime"], series["profile"]) == (
        "bench-01",
        "process",
        "rate-quick",
    )
    points = series["points"]
    assert [point["run_slug"] for point in points] == slugs
    assert [point["estimate"] for point in points] == pytest.approx([1, 2, 4], rel=0.005)
    assert all(point["low"] <= point["estimate"] <= point["high"] for point in points)
    assert [point["n"] for point in points] == [3, 3, 3]
    assert {point["host_digest"] for point in points} == {"as measured"}
    (newest,) = read(client, metric="latency_p50_ms", limit=2)
    assert [point["run_slug"] for point in newest["points"]] == slugs[1:]


def test_a_series_shows_since_when_it_is_beyond_a_limit(client: TestClient, host_id: UUID) -> None:
    slo = {"scenario": "hello", "metric": "latency_p50_ms", "limit": 3, "framework": "node"}
    created = document(client.post("/api/v1/slos", json=slo), 201)
    client.post("/api/v1/slos", json=slo | {"parameters": {"rate_rps": 7}})
    client.post("/api/v1/slos", json=slo | {"metric": "latency_p99_ms"})
    for latency in (4.0, 1.0, 4.0, 5.0):
        measure(host_id, latency)

    (series,) = read(client, metric="latency_p50_ms")

    (limit,) = series["limits"]
    assert (limit["slo_id"], limit["limit"], limit["is_within"]) == (created["id"], 3, False)
    assert limit["since"] == series["points"][2]["at"]
    assert limit["text"].startswith("Beyond the limit of at most 3\u202fms since ")

    with unit_of_work() as session:
        newest = series["points"][2:]
        cells = CellSummary.cell_id.in_([point["cell_id"] for point in newest])
        session.execute(update(CellSummary).where(cells).values(excluded=True))
    ((within,),) = [line["limits"] for line in read(client, metric="latency_p50_ms")]
    assert (within["is_within"], within["since"]) == (True, series["points"][1]["at"])
    assert within["text"].endswith("; newer results are excluded from ranking")


def test_results_under_other_conditions_form_another_series(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        other = add_host(session, "bench-02").id
    here: dict[str, Any] = {"host": "bench-01"}
    measure(host_id, **here)
    measure(host_id, **here)
    measure(host_id, **here, parameters={"rate_rps": 7})
    measure(host_id, **here, profile="users-quick")
    measure(host_id, **here, runtime=RuntimeKind.DOCKER)
    measure(other, host="bench-02")

    series = read(client, load="all")

    told = [
        (line["host"], line["runtime"], line["profile"], line["parameters"].get("rate_rps"))
        for line in series
    ]
    assert sorted(told, key=str) == sorted(
        [
            ("bench-01", "process", "rate-quick", 1000),
            ("bench-01", "process", "rate-quick", 7),
            ("bench-01", "process", "users-quick", None),
            ("bench-01", "docker", "rate-quick", 1000),
            ("bench-02", "process", "rate-quick", 1000),
        ],
        key=str,
    )
    assert sorted(len(line["points"]) for line in series) == [1, 1, 1, 1, 2]
    assert [item["host"] for item in read(client, host="bench-02")] == ["bench-02"]
    measure(host_id, **here, frameworks=("go-nethttp",))
    both = read(client, framework=["go-nethttp", "node"], host="bench-01")
    assert [item["framework"]["slug"] for item in both] == ["go-nethttp", "node", "node"]


def test_a_history_shows_the_load_with_the_most_points(client: TestClient, host_id: UUID) -> None:
    for _ in range(2):
        measure(host_id)
    measure(host_id, parameters={"rate_rps": 7})

    history = document(client.get(HISTORY, params=NODE))
    usual, rare = history["loads"]
    chosen = document(client.get(HISTORY, params=NODE | {"load": rare["key"]}))

    assert [load["points"] for load in history["loads"]] == [2, 1]
    assert (usual["parameters"]["rate_rps"], rare["parameters"]["rate_rps"]) == (1000, 7)
    assert (usual["kind"], usual["profile"]) == ("rate", "rate-quick")
    assert history["load"] == usual["key"]
    assert [len(line["points"]) for line in history["series"]] == [2]
    assert chosen["load"] == rare["key"]
    assert [line["parameters"]["rate_rps"] for line in chosen["series"]] == [7]
    assert document(client.get(HISTORY, params=NODE | {"load": "all"}))["load"] is None
    assert list(faults(client.get(HISTORY, params=NODE | {"load": "0" * 12}))) == ["load"]


def test_a_load_counts_the_results_of_all_boards_that_have_the_metric(
    client: TestClient, host_id: UUID
) -> None:
    slugs = [measure(host_id) for _ in range(4)]
    with unit_of_work() as session:
        first, last = (
            select(CellSummary.cell_id)
            .join(Run, Run.id == CellSummary.run_id)
            .where(Run.slug == slug)
            .scalar_subquery()
            for slug in (slugs[0], slugs[-1])
        )
        session.execute(
            update(CellSummary).where(CellSummary.cell_id == first).values(board="another")
        )
        session.execute(
            delete(CellMetric).where(
                CellMetric.cell_id == last, CellMetric.metric == Metric.LATENCY_P50_MS
            )
        )

    question = {"metric": "latency_p50_ms", "host": "bench-01"}
    history = document(client.get(HISTORY, params=NODE | question))

    (load,) = history["loads"]
    assert (load["points"], load["key"]) == (3, history["load"])
    (series,) = history["series"]
    assert [point["run_slug"] for point in series["points"]] == slugs[:3]
    assert load["at"] == series["points"][-1]["at"]


def test_runs_without_a_value_are_left_out(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        ask_run(session)
        fail_next(session, host_id)
        ask_run(session)

    assert read(client) == []


def test_a_change_point_lists_what_changed(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        history = History(session, host_id)
        runs = [*history.add_many(18, 1.0), *history.add_many(6, 1.2)]
        slugs = [run.slug for run in runs]
    boot_another_kernel(slugs[18:])
    question = {"metric": "latency_p50_ms"}

    (series,) = read(client, **question)
    (change,) = series["changes"]
    (stricter,) = read(client, **question, p_value="1e-9")

    assert (change["index"], change["run_slug"], change["known"]) == (18, slugs[18], None)
    assert change["low"] < change["ratio"] < change["high"]
    assert change["ratio"] == pytest.approx(1.2, rel=0.02)
    assert change["p_value"] < 1e-4
    assert [item["index"] for item in stricter["changes"]] == [18]
    (event,) = series["events"]
    assert event["index"] == 18
    assert event["differences"] == [{"subject": "host.kernel", "before": "6.1", "after": "6.12"}]

    moved = document(client.get(f"{HISTORY}/changes", params=NODE | question | {"p_value": 0.01}))
    assert moved["p_value"] == 0.01
    assert moved["series"][0]["changes"] == [change]


def test_the_answer_names_the_last_level_shift_and_its_certainty(
    client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        history = History(session, host_id)
        history.land(24, 10.0, {"node": "a" * 64})
        history.land(6, 10.8, {"node": "b" * 64})
    question = NODE | {"metric": "latency_p50_ms"}
    (listed,) = document(client.get("/api/v1/changes"))["items"]

    (answer,) = document(client.get(HISTORY, params=question))["answers"]

    assert answer["headline"] == "Node.js may have been slower in latency p50 since 25 Nov 2026"
    assert (answer["is_better"], answer["framework"], answer["series"]) == (False, "node", 0)
    assert (answer["since"], answer["change_id"]) == (listed["at"], listed["id"])
    assert answer["sentences"][0].startswith("Latency p50 is at 1.0")
    assert "A confirmation run of both builds is not finished yet." in answer["sentences"][1]

    client.patch(f"/api/v1/changes/{listed['id']}", json={"status": "confirmed"})
    (confirmed,) = document(client.get(HISTORY, params=question))["answers"]
    assert confirmed["headline"] == "Node.js has been slower in latency p50 since 25 Nov 2026"
    assert confirmed["sentences"][1].startswith("It was confirmed by hand.")

    with unit_of_work() as session:
        change = session.get_one(Change, UUID(listed["id"]))
        change.confirmation_ratio = 1.075
        change.confirmation_low, change.confirmation_high = 1.05, 1.1
    (measured,) = document(client.get(HISTORY, params=question))["answers"]
    assert measured["sentences"][1].startswith(
        "A confirmation run of both builds confirmed it and measured 1.07× [1.05, 1.10]."
    )

    client.patch(f"/api/v1/changes/{listed['id']}", json={"status": "dismissed"})
    (steady,) = document(client.get(HISTORY, params=question))["answers"]
    assert steady["headline"] == "No level shift found in latency p50 of Node.js since 1 Nov 2026"
    assert steady["since"] is None
    assert "Shifts below 3\u202f% are not reported." in steady["sentences"][0]


def test_the_answer_to_a_short_history_is_not_known_yet(client: TestClient, host_id: UUID) -> None:
    measure(host_id)

    (answer,) = document(client.get(HISTORY, params=NODE))["answers"]

    assert answer["headline"] == "Not known yet: Node.js has 1 usable result on bench-01"
    assert (answer["is_better"], answer["since"]) == (None, None)


def test_a_history_contains_listed_changes_that_the_search_does_not_find(
    client: TestClient, host_id: UUID
) -> None:
    """An interim analysis of a new build needs less evidence than the search."""
    with unit_of_work() as session:
        history = History(session, host_id)
        history.land(24, 10.0, {"node": "a" * 64})
        history.land(4, 10.35, {"node": "b" * 64})
    (listed,) = document(client.get("/api/v1/changes"))["items"]

    for p_value in ("1e-4", "1e-9"):
        (series,) = read(client, metric="latency_p50_ms", p_value=p_value)
        (change,) = series["changes"]
        assert change["known"] == {"id": listed["id"], "status": "testing"}
        assert (change["index"], change["at"]) == (24, listed["at"])
        assert change["ratio"] == pytest.approx(listed["history"]["ratio"])

    client.patch(f"/api/v1/changes/{listed['id']}", json={"status": "dismissed"})
    (series,) = read(client, metric="latency_p50_ms", p_value="1e-9")
    assert series["changes"] == []


def test_the_self_test_requires_enough_points(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        History(session, host_id).add_many(28, 1.0)
    measure(host_id, profile="users-quick")
    question = NODE | {"metric": "latency_p50_ms", "load": "all"}

    steady, short = document(client.get(f"{HISTORY}/self-test", params=question))["series"]

    assert short is None
    assert steady["found"] == steady["injections"] > 0
    assert steady["alarms"] == 0 < steady["shuffles"]


def test_the_default_metric_is_that_of_the_newest_valid_result(
    client: TestClient, host_id: UUID
) -> None:
    def ask() -> tuple[str, list[str]]:
        found = document(client.get(HISTORY, params=NODE))
        return found["metric"], found["hosts"]

    assert ask() == ("cpu_us_per_request", [])
    measure(host_id, profile="saturate-quick")
    assert ask() == ("throughput_rps", ["bench-01"])
    slug = measure(host_id)
    newest = ask()
    with unit_of_work() as session:
        excluded = session.query(CellSummary).filter(
            CellSummary.run_id == session.query(Run.id).filter(Run.slug == slug).scalar_subquery()
        )
        excluded.update({"excluded": True}, synchronize_session=False)

    assert newest[0] != "throughput_rps"
    assert ask()[0] == "throughput_rps"


def test_an_invalid_query_is_refused(client: TestClient) -> None:
    for key in ("framework", "scenario"):
        problem(client.get(HISTORY, params=NODE | {key: "nothing"}), 404, "not_found")
    queries: list[tuple[str, dict[str, Any]]] = [
        ("scenario", {"framework": "node"}),
        ("framework", {"scenario": "hello"}),
        ("metric", NODE | {"metric": "speed"}),
        ("p_value", NODE | {"p_value": "0.5"}),
        ("framework", NODE | {"framework": ["node"] * 9}),
        ("limit", NODE | {"limit": "1001"}),
    ]
    for field, query in queries:
        assert list(faults(client.get(HISTORY, params=query))) == [field]
