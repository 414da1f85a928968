"""Hosts of a run: those that have exactly the requested files, and those that send its load."""

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from backend.core.catalog.repository import get_host
from backend.core.db import unit_of_work
from backend.core.documents import NetworkMeasurement, TrialLoadHost
from backend.core.models import Host, HostFramework, HostScenario
from backend.core.units import RuntimeKind
from backend.tests.answers import document, faults
from backend.tests.asking import CELL, RUNS, body
from backend.tests.factories import HOST, add_host, succeed_next

LOAD_HOSTS = ["load-1", "load-2"]
K6 = {"tacho": "0.1.0", "k6_sha256": "ab" * 32}

Change = Callable[[Host], object]
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


def test_a_host_with_other_files_is_not_chosen_and_refused_if_named(two_hosts: TestClient) -> None:
    told = faults(two_hosts.post(RUNS, json=body(host=OTHER)))

    assert document(two_hosts.post(RUNS, json=body()), 202)["host"] == HOST
    current = document(two_hosts.get("/api/v1/frameworks/node"))["digest"]
    assert told == {
        "cells.0.framework": "node cannot run on bench-00: this host has other files of it, with "
        f"the digest ffffffffffff instead of {current[:12]}; check out the same commit there, or "
        "request the files that it has by their digest."
    }


def test_a_named_host_with_another_scenario_or_without_the_files_is_refused(
    client: TestClient,
) -> None:
    with unit_of_work() as session:
        host = add_host(session, OTHER)
        edit(session, OTHER, HostScenario, "hello")
        session.execute(delete(HostFramework).where(HostFramework.host_id == host.id))

    told = faults(client.post(RUNS, json=body(host=OTHER)))

    assert told["cells.0.scenario"].startswith("hello cannot run on bench-00: this host has other")
    assert told["cells.0.framework"] == (
        "node cannot run on bench-00: its files are not on this host; copy them there and restart "
        "the worker."
    )


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


def change_hosts(change: Change, *names: str) -> None:
    with unit_of_work() as session:
        for host in session.query(Host).where(Host.name.in_(names)):
            change(host)


@pytest.fixture
def load_hosts(client: TestClient, host_id: UUID) -> None:
    """A host with the process runtime and an address, and two load hosts."""
    with unit_of_work() as session:
        for name in LOAD_HOSTS:
            add_host(session, name)

    def prepare(host: Host) -> None:
        host.harness = dict(K6)
        host.runtime = RuntimeKind.PROCESS
        host.service_address = "192.0.2.10"

    change_hosts(prepare, HOST, *LOAD_HOSTS)


@pytest.mark.usefixtures("load_hosts")
def test_a_run_names_its_load_hosts(client: TestClient) -> None:
    assert document(client.post(RUNS, json=body(host=HOST)), 202)["load_hosts"] == []
    run = document(client.post(RUNS, json=body(host=HOST, load_hosts=LOAD_HOSTS)), 202)
    again = document(client.post(f"{RUNS}/{run['id']}/rerun"), 202)

    assert run["load_hosts"] == LOAD_HOSTS
    assert again["load_hosts"] == LOAD_HOSTS
    assert document(client.get(f"{RUNS}/{run['id']}"))["load_hosts"] == LOAD_HOSTS


@pytest.mark.usefixtures("load_hosts")
def test_load_hosts_that_cannot_send_the_load_are_named(client: TestClient) -> None:
    wrong = [HOST, "unknown", "load-1", "load-1"]

    refused = client.post(RUNS, json=body(host=HOST, load_hosts=wrong))

    found = faults(refused)
    assert set(found) == {"load_hosts.0", "load_hosts.1", "load_hosts.3"}
    assert "runs the services" in found["load_hosts.0"]
    assert "there are: load-1, load-2" in found["load_hosts.1"]
    assert "twice" in found["load_hosts.3"]


@pytest.mark.usefixtures("load_hosts")
@pytest.mark.parametrize(
    ("change", "names", "field", "fix"),
    [
        (lambda host: setattr(host, "service_address", ""), [HOST], "host", "SERVICE_ADDRESS"),
        (
            lambda host: setattr(host, "harness", {"k6_sha256": "cd" * 32}),
            ["load-2"],
            "load_hosts.1",
            "Install the same version",
        ),
        (
            lambda host: setattr(host, "fingerprint", {**host.fingerprint, "refuses_load": True}),
            ["load-2"],
            "load_hosts.1",
            "Install bubblewrap on load-2",
        ),
        (
            lambda host: setattr(host, "reserved_for", ["another-workspace"]),
            ["load-1"],
            "load_hosts.0",
            "There is no host 'load-1'",
        ),
    ],
)
def test_a_host_that_is_not_prepared_is_named_with_the_fix(
    client: TestClient, change: Change, names: list[str], field: str, fix: str
) -> None:
    change_hosts(change, *names)

    refused = client.post(RUNS, json=body(host=HOST, load_hosts=LOAD_HOSTS))

    found = faults(refused)
    assert set(found) == {field}
    assert fix in found[field]


@pytest.mark.usefixtures("load_hosts")
def test_a_load_that_changes_files_cannot_come_from_another_host(client: TestClient) -> None:
    cell = {"framework": "spring-mvc", "scenario": "universities"}

    refused = client.post(RUNS, json=body(cells=[cell], host=HOST, load_hosts=["load-1"]))

    found = faults(refused)
    assert set(found) == {"load_hosts"}
    assert "changes files of the service" in found["load_hosts"]


@pytest.mark.usefixtures("load_hosts")
def test_a_run_shows_the_medians_of_its_networks(client: TestClient, host_id: UUID) -> None:
    run = document(client.post(RUNS, json=body(host=HOST, load_hosts=LOAD_HOSTS, trials=3)), 202)
    empty = document(client.get(f"{RUNS}/{run['id']}"))["networks"]
    with unit_of_work() as session:
        for factor in (1, 10, 2):
            trial = succeed_next(session, host_id)
            trial.environment |= {
                "load_hosts": [make_load_host(name, factor) for name in LOAD_HOSTS]
            }
            flag_modified(trial, "environment")

    networks = document(client.get(f"{RUNS}/{run['id']}"))["networks"]

    assert empty == []
    assert [network["name"] for network in networks] == LOAD_HOSTS
    assert networks[0]["trials"] == 3
    assert networks[0]["p50_ms"] == 4
    assert networks[0]["send_mbps"] == 200


def make_load_host(name: str, factor: int) -> TrialLoadHost:
    network = NetworkMeasurement(
        round_trips=100,
        min_ms=1.0 * factor,
        p50_ms=2.0 * factor,
        p90_ms=3.0 * factor,
        p99_ms=4.0 * factor,
        max_ms=5.0 * factor,
        send_mbps=100.0 * factor,
        receive_mbps=50.0 * factor,
    )
    return TrialLoadHost(name=name, host_digest="a digest", cpus=[0], network=network)
