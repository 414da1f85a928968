"""Idempotency-Key: a client that received no response can repeat the request."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backend.tests.answers import document, faults, problem
from backend.tests.api.conftest import HERE, LOOPBACK
from backend.tests.asking import CELL, RUNS, body
from backend.tests.rows import count_rows

pytestmark = pytest.mark.usefixtures("host_id")

KEY = {"Idempotency-Key": "nightly 2026-11-20"}


def test_a_repeated_request_returns_the_same_run(client: TestClient) -> None:
    first = client.post(RUNS, json=body(trials=2), headers=KEY)
    # Another spelling of the same request.
    again = client.post(RUNS, json={"trials": 2, "cells": [CELL]}, headers=KEY)

    assert document(again, 202) == document(first, 202)
    assert again.headers["location"] == first.headers["location"]
    assert count_rows() == (1, 1, 2)


def test_another_request_under_the_key_is_refused(client: TestClient) -> None:
    document(client.post(RUNS, json=body(trials=2), headers=KEY), 202)

    refused = client.post(RUNS, json=body(trials=3), headers=KEY)

    told = problem(refused, 409, "idempotency_mismatch")
    assert "use a new key" in told["detail"]
    assert count_rows() == (1, 1, 2)


def test_a_refused_request_does_not_use_up_its_key(client: TestClient) -> None:
    faults(client.post(RUNS, json=body({**CELL, "framework": "x"}), headers=KEY))

    document(client.post(RUNS, json=body(), headers=KEY), 202)


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


@pytest.mark.parametrize("key", ["", "x" * 201, "é"])
def test_a_key_is_short_and_printable(client: TestClient, key: str) -> None:
    answer = client.post(RUNS, json=body(), headers={b"Idempotency-Key": key.encode("latin-1")})

    assert list(faults(answer)) == ["idempotency-key"]
    assert count_rows() == (0, 0, 0)
