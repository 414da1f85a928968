"""POST /runs: a valid run is queued completely and once, and the bench host is notified."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func

from backend.core.db import unit_of_work
from backend.core.models import Host
from backend.tests.answers import document, faults, problem
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.asking import CELL, RUNS, body
from backend.tests.factories import HOST, add_host
from backend.tests.installation import forget_cached
from backend.tests.rows import count_rows, count_wake_up_messages

KEY = {"Idempotency-Key": "nightly 2026-11-20"}
pytestmark = pytest.mark.usefixtures("host_id")


def test_a_run_is_queued_with_all_its_trials(client: TestClient) -> None:
    cells = [CELL, {"framework": "go-nethttp", "scenario": "slow-upstream"}]

    answer = client.post(RUNS, json=body(*cells, trials=3, title="Node or Go?"))

    run = document(answer, 202)
    assert answer.headers["location"] == f"{RUNS}/{run['id']}"
    assert (run["status"], run["title"], run["host"]) == ("queued", "Node or Go?", HOST)
    assert run["permalink"] == f"/r/{run['slug']}"
    assert run["visibility"] == "unlisted"
    assert run["progress"]["trials_total"] == 6
    assert run["progress"]["queue_position"] == 0
    assert run == document(client.get(RUNS))["items"][0]
    run = document(client.get(answer.headers["location"]))
    assert [cell["framework"]["slug"] for cell in run["cells"]] == ["node", "go-nethttp"]
    assert [trial["status"] for trial in run["trials"]] == ["queued"] * 6
    assert [trial["position"] for trial in run["trials"]] == list(range(6))
    assert [trial["repetition"] for trial in run["trials"]] == [1, 1, 2, 2, 3, 3]
    assert count_rows() == (1, 2, 6)
    assert count_wake_up_messages(HOST) == 1


def test_a_run_with_a_goal_begins_with_three_trials_each(client: TestClient) -> None:
    cells = [CELL, {**CELL, "framework": "go-nethttp"}]

    run = document(client.post(RUNS, json=body(*cells, until="ranked", max_minutes=10)), 202)

    assert run["trials_per_cell"] == 3
    assert run["progress"]["trials_total"] == 6
    assert run["goal"] == {
        "until": "ranked",
        "max_trials": 20,
        "max_minutes": 10,
        "state": "open",
        "blocks": 0,
        "more_trials": None,
        "sentence": "The run continues until the ranking is certain. This is tested after 3 trials "
        "each, and then after each further trial of all results.",
    }
    assert document(client.get(f"{RUNS}/{run['id']}"))["goal"] == run["goal"]


def create(client: TestClient, *cells: dict[str, Any]) -> dict[str, Any]:
    """Queue a run; return it with its cells and trials."""
    run = document(client.post(RUNS, json=body(*cells)), 202)
    return document(client.get(f"{RUNS}/{run['id']}"))


def test_omitted_fields_have_their_defaults(client: TestClient) -> None:
    run = create(client)

    assert run["trials_per_cell"] == 5
    assert run["title"] == "Node.js · Hello"
    cell = run["cells"][0]
    assert (cell["profile"], cell["kind"]) == ("rate-quick", "rate")
    assert cell["parameters"] == {
        "rate_rps": 1000,
        "warm_up_seconds": 30,
        "duration_seconds": 10,
        "timeout_ms": 5000,
    }


def test_a_swept_parameter_gives_a_cell_for_each_value(client: TestClient) -> None:
    cell = {
        "framework": "fastapi",
        "scenario": "slow-upstream",
        "profile": "slow-third-party-quick",
        "parameters": {"delay_ms": [50, 100]},
    }

    run = create(client, cell)
    again = document(client.post(f"{RUNS}/{run['id']}/rerun"), 202)

    for asked in (run, document(client.get(f"{RUNS}/{again['id']}"))):
        assert [cell["parameters"]["delay_ms"] for cell in asked["cells"]] == [50, 100]
        assert len(asked["trials"]) == 2 * asked["trials_per_cell"]


def test_a_sweep_over_cores_has_those_of_the_host(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        host = session.get_one(Host, host_id)
        host.fingerprint = {**host.fingerprint, "service_cores": 3}
    cell = {"framework": "node", "scenario": "hello", "profile": "cores-quick"}

    run = create(client, cell)
    assert [cell["parameters"]["cores"] for cell in run["cells"]] == [1, 2]

    run = create(client, {**cell, "profile": "rate-quick", "parameters": {"cores": 3}})
    assert run["cells"][0]["parameters"]["cores"] == 3

    named = faults(client.post(RUNS, json=body({**cell, "parameters": {"cores": [3, 4]}})))
    told = "bench-01 has 3 cores for a service; give 1 to 3."
    assert named == {"cells.0.parameters.cores": told}


def test_the_online_host_with_the_shortest_queue_is_chosen(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-02")
        add_host(session, "bench-00").seen_at = func.now() - func.make_interval(0, 0, 0, 1)

    taken = [document(client.post(RUNS, json=body()), 202)["host"] for _ in range(3)]
    named = document(client.post(RUNS, json=body(host="bench-00")), 202)["host"]

    assert taken == ["bench-01", "bench-02", "bench-01"]
    assert named == "bench-00"
    # A host that can run everything precedes a shorter queue.
    with unit_of_work() as session:
        add_host(session, "bench-00", unavailable={CELL["framework"]: "node is missing"})
        add_host(session, "bench-02", unavailable={CELL["framework"]: "node is missing"})
    assert document(client.post(RUNS, json=body()), 202)["host"] == "bench-01"


def test_a_broker_that_is_down_does_not_lose_a_run(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is stored. The wake-up message is sent again when the broker is back."""
    with monkeypatch.context() as patch:
        patch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
        forget_cached()
        answer = client.post(RUNS, json=body())
    forget_cached()

    assert document(answer, 202)["status"] == "queued"
    assert count_rows() == (1, 1, 5)


def test_a_key_belongs_to_one_request_and_its_run(client: TestClient) -> None:
    # A refused request does not use up its key.
    faults(client.post(RUNS, json=body({**CELL, "framework": "x"}), headers=KEY))
    first = client.post(RUNS, json=body(trials=2), headers=KEY)
    # Another spelling of the same request.
    again = client.post(RUNS, json={"trials": 2, "cells": [CELL]}, headers=KEY)

    assert document(again, 202) == document(first, 202)
    assert again.headers["location"] == first.headers["location"]
    refused = client.post(RUNS, json=body(trials=3), headers=KEY)
    told = problem(refused, 409, "idempotency_mismatch")
    assert "use a new key" in told["detail"]
    assert count_rows() == (1, 1, 2)


def test_other_keys_and_missing_keys_create_other_runs(client: TestClient) -> None:
    for headers in ({}, {}, KEY, {"Idempotency-Key": "other"}):
        document(client.post(RUNS, json=body(trials=1), headers=headers), 202)

    assert count_rows() == (4, 4, 4)


def test_simultaneous_requests_create_one_run(app: FastAPI) -> None:
    together = Barrier(6)

    def ask(_: int) -> str:
        with TestClient(app, HERE, client=LOOPBACK) as client:
            together.wait()
            answer = client.post(RUNS, json=body(trials=2), headers=KEY)
            return str(document(answer, 202)["id"])

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(ask, range(6)))

    assert len(ids) == 1
    assert count_rows() == (1, 1, 2)


def test_a_key_is_short_and_printable(client: TestClient) -> None:
    for key in ("", "x" * 201, "é"):
        answer = client.post(RUNS, json=body(), headers={b"Idempotency-Key": key.encode("latin-1")})
        assert list(faults(answer)) == ["idempotency-key"]
    assert count_rows() == (0, 0, 0)
