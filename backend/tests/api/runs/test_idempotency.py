"""Idempotency-Key: a client that did not hear the answer may ask again."""

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


def test_the_same_request_again_answers_the_same_run(client: TestClient) -> None:
    first = client.post(RUNS, json=body(trials=2), headers=KEY)
    # Said differently, asked the same.
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


def test_a_refused_request_leaves_its_key_free(client: TestClient) -> None:
    faults(client.post(RUNS, json=body({**CELL, "framework": "x"}), headers=KEY))

    document(client.post(RUNS, json=body(), headers=KEY), 202)


def test_other_keys_and_no_key_make_other_runs(client: TestClient) -> None:
    for headers in ({}, {}, KEY, {"Idempotency-Key": "other"}):
        document(client.post(RUNS, json=body(trials=1), headers=headers), 202)

    assert count_rows() == (4, 4, 4)


def test_requests_at_the_same_moment_make_one_run(app: FastAPI) -> None:
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
