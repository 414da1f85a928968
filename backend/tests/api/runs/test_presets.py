"""Presets over REST: each can be started as it is."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

from fastapi.testclient import TestClient
from sqlalchemy import update

from backend.core.db import unit_of_work
from backend.core.models import Host
from backend.tests.accounts import add_workspace
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS
from backend.tests.factories import add_host

PRESETS = "/api/v1/presets"
LONG_AGO = datetime.now(UTC) - timedelta(hours=1)


def list_of_first_look(client: TestClient) -> list[str]:
    items = document(client.get(PRESETS))["items"]
    (preset,) = (item for item in items if item["slug"] == "first-look")
    assert preset == document(client.get(f"{PRESETS}/first-look"))
    return [framework["slug"] for framework in preset["frameworks"]]


def test_questions_come_before_studies_and_all_can_be_started(
    client: TestClient, host_id: UUID
) -> None:
    items = document(client.get(PRESETS))["items"]

    kinds = [item["kind"] for item in items]
    assert kinds == sorted(kinds)
    assert items[0]["slug"] == "first-look"
    assert "wrk-flavours" in {item["slug"] for item in items}
    missing = problem(client.get(f"{PRESETS}/first-glance"), 404, "not_found")
    assert "first-look" in missing["detail"]
    for item in items:
        run = document(client.post(RUNS, json=item["request"]), 202)
        assert run["title"] == item["name"]
        assert {framework["slug"] for framework in run["frameworks"]} == {
            framework["slug"] for framework in item["frameworks"]
        }
        whole = document(client.get(f"{RUNS}/{run['id']}"))
        assert len(whole["cells"]) == item["results"]


def test_presets_name_only_frameworks_that_the_best_online_host_can_run(
    client: TestClient,
) -> None:
    with unit_of_work() as session:
        add_host(session, "bench-01", unavailable={"node": "node is missing"})
        add_host(session, "bench-02", unavailable={"node": "no", "go-nethttp": "no"})

    preset = document(client.get(f"{PRESETS}/first-look"))

    assert [framework["slug"] for framework in preset["frameworks"]] == ["go-nethttp", "fastapi"]
    assert document(client.post(RUNS, json=preset["request"]), 202)["host"] == "bench-01"


def test_presets_leave_out_hosts_that_take_no_trials(client: TestClient) -> None:
    with unit_of_work() as session:
        add_workspace(session)
        current = add_host(session, "bench-01", unavailable={"node": "node is missing"})
        revision = current.schema_revision
        add_host(session, "bench-02", unavailable={"node": "no", "go-nethttp": "no"})
    usable = {
        "paused_at": None,
        "leaving_at": None,
        "revoked_at": None,
        "seen_at": datetime.now(UTC) + timedelta(hours=1),
        "disk_shortage": "",
        "reserved_for": None,
        "schema_revision": revision,
    }

    def read_after(change: Mapping[str, object]) -> list[str]:
        with unit_of_work() as session:
            own = update(Host).where(Host.name == "bench-01")
            session.execute(own.values({**usable, **change}))
        return list_of_first_look(client)

    assert read_after({}) == ["go-nethttp", "fastapi"]
    for change in (
        {"paused_at": LONG_AGO},
        {"leaving_at": LONG_AGO},
        {"revoked_at": LONG_AGO},
        {"seen_at": LONG_AGO},
        {"disk_shortage": "full"},
        {"reserved_for": ["other"]},
        {"schema_revision": None},
    ):
        assert read_after(change) == ["fastapi", "spring-mvc"], change
