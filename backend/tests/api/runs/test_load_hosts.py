"""POST /runs with load_hosts: other hosts send the load of a run."""

from collections.abc import Callable
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm.attributes import flag_modified

from backend.core.db import unit_of_work
from backend.core.documents import NetworkMeasurement, TrialLoadHost
from backend.core.models import Host
from backend.core.units import RuntimeKind
from backend.tests.answers import document, faults
from backend.tests.asking import RUNS, body
from backend.tests.factories import HOST, add_host, succeed_next

LOAD_HOSTS = ["load-1", "load-2"]
K6 = {"tacho": "0.1.0", "k6_sha256": "ab" * 32}

Change = Callable[[Host], object]


def change_hosts(change: Change, *names: str) -> None:
    with unit_of_work() as session:
        for host in session.query(Host).where(Host.name.in_(names)):
            change(host)


@pytest.fixture
def hosts(client: TestClient, host_id: UUID) -> None:
    """A host with the process runtime and an address, and two load hosts."""
    with unit_of_work() as session:
        for name in LOAD_HOSTS:
            add_host(session, name)

    def prepare(host: Host) -> None:
        host.harness = dict(K6)
        host.runtime = RuntimeKind.PROCESS
        host.service_address = "192.0.2.10"

    change_hosts(prepare, HOST, *LOAD_HOSTS)


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize("runtime", list(RuntimeKind))
def test_a_run_names_its_load_hosts(client: TestClient, runtime: RuntimeKind) -> None:
    change_hosts(lambda host: setattr(host, "runtime", runtime), HOST)

    run = document(client.post(RUNS, json=body(host=HOST, load_hosts=LOAD_HOSTS)), 202)
    again = document(client.post(f"{RUNS}/{run['id']}/rerun"), 202)

    assert run["load_hosts"] == LOAD_HOSTS
    assert again["load_hosts"] == LOAD_HOSTS
    assert document(client.get(f"{RUNS}/{run['id']}"))["load_hosts"] == LOAD_HOSTS


@pytest.mark.usefixtures("hosts")
def test_by_default_the_host_sends_the_load_itself(client: TestClient) -> None:
    assert document(client.post(RUNS, json=body(host=HOST)), 202)["load_hosts"] == []


@pytest.mark.usefixtures("hosts")
def test_load_hosts_that_cannot_send_the_load_are_named(client: TestClient) -> None:
    wrong = [HOST, "unknown", "load-1", "load-1"]

    refused = client.post(RUNS, json=body(host=HOST, load_hosts=wrong))

    found = faults(refused)
    assert set(found) == {"load_hosts.0", "load_hosts.1", "load_hosts.3"}
    assert "runs the services" in found["load_hosts.0"]
    assert "there are: load-1, load-2" in found["load_hosts.1"]
    assert "twice" in found["load_hosts.3"]


@pytest.mark.usefixtures("hosts")
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


@pytest.mark.usefixtures("hosts")
def test_a_load_that_changes_files_cannot_come_from_another_host(client: TestClient) -> None:
    cell = {"framework": "spring-mvc", "scenario": "universities"}

    refused = client.post(RUNS, json=body(cells=[cell], host=HOST, load_hosts=["load-1"]))

    found = faults(refused)
    assert set(found) == {"load_hosts"}
    assert "changes files of the service" in found["load_hosts"]


@pytest.mark.usefixtures("hosts")
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
