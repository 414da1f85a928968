"""A run on several hosts is a group of runs, which are shown next to each other."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from backend.core.catalog.repository import get_host
from backend.core.db import unit_of_work
from backend.core.models import Host, HostFramework, Run
from backend.core.statuses import Role, Visibility
from backend.tests.accounts import add_member, add_workspace, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.asking import CELL, RUNS, body
from backend.tests.factories import add_host, claim_next, succeed_next
from backend.tests.rows import count_rows

GROUPS = "/api/v1/run-groups"
FIRST, SECOND, THIRD = "bench-01", "bench-02", "bench-03"


@pytest.fixture
def hosts(client: TestClient) -> TestClient:
    """A client of an installation with three hosts."""
    with unit_of_work() as session:
        for name in (FIRST, SECOND, THIRD):
            add_host(session, name)
    return client


def request(client: TestClient, hosts: object, **fields: Any) -> dict[str, Any]:
    """Queue a group and return it."""
    run = document(client.post(RUNS, json=body(hosts=hosts, **fields)), 202)
    return document(client.get(f"{GROUPS}/{run['group']['slug']}"))


def list_hosts(group: dict[str, Any]) -> list[str]:
    return [run["host"] for run in group["runs"]]


def test_each_host_gets_a_run_of_its_own(hosts: TestClient) -> None:
    response = hosts.post(RUNS, json=body(hosts="each", title="Everywhere"))

    first = document(response, 202)
    group = document(hosts.get(response.headers["Location"]))
    assert group["slug"] == first["group"]["slug"]
    assert group["permalink"] == f"/g/{group['slug']}"
    assert list_hosts(group) == [FIRST, SECOND, THIRD]
    assert {run["title"] for run in group["runs"]} == {"Everywhere"}
    assert group["runs"][0]["id"] == first["id"]
    assert list_hosts(request(hosts, [THIRD, FIRST, THIRD])) == [THIRD, FIRST]


def test_any_host_is_the_default(hosts: TestClient) -> None:
    default = document(hosts.post(RUNS, json=body()), 202)
    any_host = document(hosts.post(RUNS, json=body(hosts="any", host=SECOND)), 202)

    assert (default["group"], any_host["group"]) == (None, None)
    assert any_host["host"] == SECOND


def test_each_leaves_out_hosts_that_cannot_measure_exactly_this(hosts: TestClient) -> None:
    with unit_of_work() as session:
        get_host(session, FIRST).seen_at = func.now() - func.make_interval(0, 0, 0, 1)
        other = get_host(session, THIRD).id
        session.execute(
            update(HostFramework)
            .where(HostFramework.host_id == other, HostFramework.slug == CELL["framework"])
            .values(digest="f" * 64)
        )

    assert list_hosts(request(hosts, "each")) == [SECOND]
    with unit_of_work() as session:
        session.execute(update(Host).values(paused_at=func.now()))
    told = faults(hosts.post(RUNS, json=body(hosts="each")))
    assert told["hosts"].startswith("No host can measure all requested cells: bench-01 is offline")


def test_a_wrong_host_queues_nothing(hosts: TestClient) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"hosts": [FIRST, "bench-99"]}, "There is no host 'bench-99'"),
        ({"hosts": []}, "at least 1"),
        ({"hosts": "all"}, "each"),
        ({"hosts": "each", "host": FIRST}, "remove one of them"),
    ]
    for asked, told in cases:
        named = faults(hosts.post(RUNS, json=body(**asked)))

        assert any(told in named[name] for name in named if name.startswith("hosts")), named
    assert count_rows() == (0, 0, 0)


def test_a_key_covers_the_whole_group(hosts: TestClient) -> None:
    def post(key: str, **fields: Any) -> Any:
        return hosts.post(RUNS, json=body(**fields), headers={"Idempotency-Key": key})

    first = document(post("nightly", hosts="each"), 202)
    again = document(post("nightly", hosts="each"), 202)

    assert again["id"] == first["id"]
    assert count_rows()[0] == 3
    problem(post("nightly", hosts=[FIRST]), 409, "idempotency_mismatch")
    problem(post("nightly"), 409, "idempotency_mismatch")
    document(post("single"), 202)
    problem(post("single", hosts="each"), 409, "idempotency_mismatch")


def test_results_of_hosts_are_next_to_each_other_and_not_pooled(hosts: TestClient) -> None:
    group = request(hosts, [FIRST, SECOND], trials=3)
    (row,) = group["rows"]
    assert [result["summary"] for result in row["results"]] == [None, None]
    with unit_of_work() as session:
        for name, latency_ms in ((FIRST, 1.0), (SECOND, 9.0)):
            for _ in range(3):
                succeed_next(session, get_host(session, name).id, (latency_ms,))

    done = document(hosts.get(f"{GROUPS}/{group['slug']}"))

    (row,) = done["rows"]
    found = {result["host"]: result["summary"] for result in row["results"]}
    own = {}
    for run in done["runs"]:
        whole = document(hosts.get(f"{RUNS}/{run['id']}"))
        own[run["host"]] = whole["cells"][0]["summary"][row["metric"]]
        assert whole["group"] == {"slug": group["slug"], "permalink": f"/g/{group['slug']}"}
    assert found == own
    assert [found[name]["n"] for name in (FIRST, SECOND)] == [3, 3]


def test_outsiders_see_only_runs_that_they_may_open(hosts: TestClient, visitor: TestClient) -> None:
    group = request(hosts, [FIRST, SECOND], visibility="public")
    with unit_of_work() as session:
        add_workspace(session, "other")
        outsider = sign_in(
            session, add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        )
        hidden = session.get_one(Run, UUID(group["runs"][1]["id"]))
        hidden.visibility = Visibility.PRIVATE
    address = f"{GROUPS}/{group['slug']}"

    seen = document(visitor.get(address, headers=outsider))

    assert list_hosts(seen) == [FIRST]
    assert [result["host"] for result in seen["rows"][0]["results"]] == [FIRST]
    assert document(visitor.get(f"{RUNS}/{seen['runs'][0]['id']}"))["group"] is None
    with unit_of_work() as session:
        session.execute(update(Run).values(visibility=Visibility.PRIVATE))
    problem(visitor.get(address, headers=outsider), 404, "not_found")
    problem(hosts.get(f"{GROUPS}/nothing"), 404, "not_found")


def test_a_group_is_cancelled_as_a_whole(hosts: TestClient) -> None:
    group = request(hosts, [FIRST, SECOND, THIRD])
    with unit_of_work() as session:
        for _ in range(group["runs"][0]["progress"]["trials_total"]):
            succeed_next(session, get_host(session, FIRST).id)
        claim_next(session, get_host(session, SECOND).id)
    assert group["may_cancel"] is True

    cancelled = document(hosts.post(f"{GROUPS}/{group['slug']}/cancel"))

    statuses = [run["status"] for run in cancelled["runs"]]
    assert statuses == ["succeeded", "running", "cancelled"]
    assert [run["cancel_requested"] for run in cancelled["runs"]] == [False, True, True]
    again = document(hosts.post(f"{GROUPS}/{group['slug']}/cancel"))
    assert [run["status"] for run in again["runs"]] == statuses

    ended = request(hosts, [FIRST], trials=1)
    with unit_of_work() as session:
        succeed_next(session, get_host(session, FIRST).id)
    told = problem(hosts.post(f"{GROUPS}/{ended['slug']}/cancel"), 409, "conflict")
    assert "nothing to cancel" in told["detail"]
    assert document(hosts.get(f"{GROUPS}/{ended['slug']}"))["may_cancel"] is False


def test_only_the_workspace_of_a_group_cancels_it(hosts: TestClient, visitor: TestClient) -> None:
    group = request(hosts, [FIRST, SECOND], visibility="public")
    with unit_of_work() as session:
        add_workspace(session, "other")
        outsider = sign_in(
            session, add_member(session, "eve@example.org", Role.OWNER, workspace="other")
        )
        member = sign_in(session, add_member(session, "ann@example.org", Role.MEMBER))
        reader = sign_in(session, add_member(session, "vic@example.org", Role.VIEWER))
    address = f"{GROUPS}/{group['slug']}"

    for headers in (outsider, reader):
        problem(visitor.post(f"{address}/cancel", headers=headers), 403, "forbidden")
        assert document(visitor.get(address, headers=headers))["may_cancel"] is False

    cancelled = document(visitor.post(f"{address}/cancel", headers=member))
    assert [run["status"] for run in cancelled["runs"]] == ["cancelled", "cancelled"]
