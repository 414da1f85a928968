"""GET /history: points that may be joined by a line, and only those."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.units import RuntimeKind
from backend.tests.answers import document, faults, problem
from backend.tests.factories import add_host, ask_run, fail_next, succeed_next

HISTORY = "/api/v1/history"
NODE = {"framework": "node", "scenario": "hello"}


def measure(host_id: UUID, latency_ms: float = 1.0, **changes: Any) -> str:
    """A finished run of two trials; its slug."""
    runtime = changes.pop("runtime", RuntimeKind.PROCESS)
    with unit_of_work() as session:
        run = ask_run(session, count=2, **{"visibility": "public", **changes})
        for _ in range(2):
            succeed_next(session, host_id, [latency_ms] * 5, runtime)
        return run.slug


def read(client: TestClient, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document(client.get(HISTORY, params=NODE | query))["series"]
    return found


def test_points_stand_in_order_of_time_with_their_intervals(
    client: TestClient, host_id: UUID
) -> None:
    slugs = [measure(host_id, latency) for latency in (1.0, 2.0, 4.0)]

    history = document(client.get(HISTORY, params=NODE | {"metric": "latency_p50_ms"}))

    assert (history["framework"]["slug"], history["scenario"]["slug"]) == ("node", "hello")
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
    assert [point["n"] for point in points] == [2, 2, 2]
    assert {point["host_digest"] for point in points} == {"as measured"}


def test_what_was_measured_otherwise_is_another_series(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        other = add_host(session, "bench-02").id
    here: dict[str, Any] = {"host": "bench-01"}
    measure(host_id, **here)
    measure(host_id, **here)
    measure(host_id, **here, parameters={"rate_rps": 7})
    measure(host_id, **here, profile="users-quick")
    measure(host_id, **here, runtime=RuntimeKind.DOCKER)
    measure(other, host="bench-02")

    series = read(client)

    told = [
        (one["host"], one["runtime"], one["profile"], one["parameters"].get("rate_rps"))
        for one in series
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
    assert sorted(len(one["points"]) for one in series) == [1, 1, 1, 1, 2]
    assert [one["host"] for one in read(client, host="bench-02")] == ["bench-02"]


def test_the_newest_points_are_taken(client: TestClient, host_id: UUID) -> None:
    slugs = [measure(host_id) for _ in range(4)]

    (series,) = read(client, limit=2)

    assert [point["run_slug"] for point in series["points"]] == slugs[2:]


def test_runs_without_a_number_are_no_points(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        ask_run(session)
        fail_next(session, host_id)
        ask_run(session)

    assert read(client) == []


def test_strangers_see_public_points_only(
    client: TestClient, stranger: TestClient, host_id: UUID
) -> None:
    slugs = {name: measure(host_id, visibility=name) for name in ("public", "unlisted", "private")}

    assert [point["run_slug"] for point in read(stranger)[0]["points"]] == [slugs["public"]]
    assert len(read(client)[0]["points"]) == 3


@pytest.mark.parametrize("key", ["framework", "scenario"])
def test_what_is_not_there_is_not_found(client: TestClient, key: str) -> None:
    problem(client.get(HISTORY, params=NODE | {key: "nothing"}), 404, "not_found")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"framework": "node"}, "scenario"),
        ({"scenario": "hello"}, "framework"),
        (NODE | {"metric": "speed"}, "metric"),
        (NODE | {"limit": "0"}, "limit"),
        (NODE | {"limit": "1001"}, "limit"),
        (NODE | {"host": "a\0b"}, "host"),
    ],
)
def test_a_wrong_question_is_refused(client: TestClient, query: dict[str, str], field: str) -> None:
    assert list(faults(client.get(HISTORY, params=query))) == [field]
