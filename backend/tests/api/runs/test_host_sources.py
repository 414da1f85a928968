"""A run takes place only on hosts that have exactly the requested files."""

from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from backend.core.catalog.repository import get_host
from backend.core.db import unit_of_work
from backend.core.models import HostFramework, HostScenario
from backend.tests.answers import document, faults
from backend.tests.asking import CELL, RUNS, body
from backend.tests.factories import HOST, add_host, succeed_next

OTHER = "bench-00"
OTHER_DIGEST = "f" * 64
_LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
_COMPARISONS = "/api/v1/comparisons"
_HISTORY = "/api/v1/history?framework=node&scenario=hello&metric=latency_p50_ms"


def edit(
    session: Session,
    host: str,
    table: type[HostFramework | HostScenario] = HostFramework,
    slug: str = "node",
) -> None:
    """Give a host files that are older than those of the catalogue."""
    own = (table.host_id == get_host(session, host).id) & (table.slug == slug)
    session.execute(update(table).where(own).values(digest=OTHER_DIGEST, registered_at=_LONG_AGO))


@pytest.fixture
def two_hosts(client: TestClient) -> TestClient:
    """A client of an installation with `bench-01`, and `bench-00` with other files of node."""
    with unit_of_work() as session:
        add_host(session)
        add_host(session, OTHER)
        edit(session, OTHER)
    return client


def test_a_host_with_other_files_is_not_chosen(two_hosts: TestClient) -> None:
    taken = [document(two_hosts.post(RUNS, json=body()), 202)["host"] for _ in range(3)]

    assert taken == [HOST, HOST, HOST]


def test_a_named_host_with_other_files_is_refused(two_hosts: TestClient) -> None:
    told = faults(two_hosts.post(RUNS, json=body(host=OTHER)))

    current = document(two_hosts.get("/api/v1/frameworks/node"))["digest"]
    assert told == {
        "cells.0.framework": "node cannot run on bench-00: this host has other files of it, with "
        f"the digest ffffffffffff instead of {current[:12]}; check out the same commit there, or "
        "request the files that it has by their digest."
    }


def test_a_named_host_with_another_scenario_is_refused(client: TestClient) -> None:
    with unit_of_work() as session:
        add_host(session, OTHER)
        edit(session, OTHER, HostScenario, "hello")

    told = faults(client.post(RUNS, json=body(host=OTHER)))

    assert list(told) == ["cells.0.scenario"]
    assert told["cells.0.scenario"].startswith("hello cannot run on bench-00: this host has other")


def test_a_named_host_without_the_files_is_refused(client: TestClient) -> None:
    with unit_of_work() as session:
        host = add_host(session, OTHER)
        session.execute(delete(HostFramework).where(HostFramework.host_id == host.id))

    told = faults(client.post(RUNS, json=body(host=OTHER)))

    assert told == {
        "cells.0.framework": "node cannot run on bench-00: its files are not on this host; copy "
        "them there and restart the worker."
    }


def test_other_files_can_be_requested_by_their_digest(two_hosts: TestClient) -> None:
    requested = body({**CELL, "framework_digest": OTHER_DIGEST[:8]})

    accepted = document(two_hosts.post(RUNS, json=requested), 202)

    run = document(two_hosts.get(f"{RUNS}/{accepted['id']}"))
    assert run["host"] == OTHER
    assert run["cells"][0]["framework_digest"] == OTHER_DIGEST


def test_the_catalogue_shows_which_host_has_which_files(two_hosts: TestClient) -> None:
    node = document(two_hosts.get("/api/v1/frameworks/node"))
    hello = document(two_hosts.get("/api/v1/scenarios/hello"))
    hosts = document(two_hosts.get("/api/v1/hosts"))["items"]

    assert node["digests"] == {OTHER: OTHER_DIGEST, HOST: node["digest"]}
    assert list(node["unavailable"]) == [OTHER]
    assert hello["digests"] == {OTHER: hello["digest"], HOST: hello["digest"]}
    assert {host["name"]: list(host["unavailable"]) for host in hosts} == {
        OTHER: ["node"],
        HOST: [],
    }


def test_results_from_different_files_are_never_pooled(two_hosts: TestClient) -> None:
    """Each host has its own series and its own leaderboard, and nothing is called faster."""
    cells = []
    for host, digest in ((HOST, None), (OTHER, OTHER_DIGEST[:8])):
        cell = CELL | ({"framework_digest": digest} if digest else {})
        asked = body(cell, host=host, trials=3, visibility="public")
        accepted = document(two_hosts.post(RUNS, json=asked), 202)
        with unit_of_work() as session:
            host_id = get_host(session, host).id
            for _ in range(3):
                succeed_next(session, host_id, (1.0,) if host == HOST else (9.0,))
        run = document(two_hosts.get(f"{RUNS}/{accepted['id']}"))
        cells.append(run["cells"][0]["id"])

    series = document(two_hosts.get(_HISTORY))["series"]
    found = {
        item["host"]: [point["framework_digest"] for point in item["points"]] for item in series
    }
    node = document(two_hosts.get("/api/v1/frameworks/node"))
    assert found == {HOST: [node["digest"]], OTHER: [OTHER_DIGEST]}
    (pair,) = document(two_hosts.get(_COMPARISONS, params={"cells": cells}))["pairs"]
    assert pair["comparability"] == "incomparable"
    assert {ratio["state"] for ratio in pair["ratios"].values()} == {"not_comparable"}
