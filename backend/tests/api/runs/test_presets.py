"""Presets over REST: each can be started as it is."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from backend.core.db import unit_of_work
from backend.core.models import Framework, Host, Study
from backend.tests.accounts import add_workspace
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS
from backend.tests.factories import add_host, put_sources

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


@pytest.mark.parametrize(
    ("change", "undo"),
    [
        ({"paused_at": LONG_AGO}, {"paused_at": None}),
        ({"leaving_at": LONG_AGO}, {"leaving_at": None}),
        ({"revoked_at": LONG_AGO}, {"revoked_at": None}),
        ({"seen_at": LONG_AGO}, {"seen_at": datetime.now(UTC) + timedelta(hours=1)}),
        ({"disk_shortage": "full"}, {"disk_shortage": ""}),
        ({"reserved_for": ["other"]}, {"reserved_for": None}),
    ],
)
def test_presets_follow_changes_of_a_host(
    client: TestClient, change: dict[str, object], undo: dict[str, object]
) -> None:
    def set_host(values: dict[str, object]) -> None:
        with unit_of_work() as session:
            session.execute(update(Host).where(Host.name == "bench-01").values(values))

    with unit_of_work() as session:
        add_workspace(session)
        add_host(session, "bench-01", unavailable={"node": "node is missing"})
        add_host(session, "bench-02", unavailable={"node": "no", "go-nethttp": "no"})

    before = list_of_first_look(client)
    set_host(change)
    without = list_of_first_look(client)
    set_host(undo)

    assert before == ["go-nethttp", "fastapi"]
    assert without == ["fastapi", "spring-mvc"]
    assert list_of_first_look(client) == before


def test_presets_follow_an_update_of_a_worker(client: TestClient, host_id: UUID) -> None:
    def set_revision(revision: str | None) -> None:
        with unit_of_work() as session:
            hosts = update(Host).where(Host.name == "bench-02")
            session.execute(hosts.values(schema_revision=revision))

    with unit_of_work() as session:
        session.execute(update(Host).values(paused_at=LONG_AGO))
        revision = add_host(session, "bench-02", unavailable={"node": "no"}).schema_revision
    before = list_of_first_look(client)
    set_revision(None)
    outdated = list_of_first_look(client)
    set_revision(revision)

    assert before == ["go-nethttp", "fastapi"]
    # Neither host takes trials, so the host that can run more frameworks counts.
    assert outdated == ["node", "go-nethttp"]
    assert list_of_first_look(client) == before


def test_workspaces_have_the_presets_of_their_hosts(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        add_workspace(session)
        host = session.scalars(select(Host)).one()
        put_sources(session, host, {"node": "node is missing"})
        add_host(session, "bench-02").reserved_for = ["other"]
    other = {"Tacho-Workspace": "other"}
    found = [
        document(client.get(f"{PRESETS}/first-look", headers=headers)) for headers in ({}, other)
    ]

    assert [preset["frameworks"][0]["slug"] for preset in found] == ["go-nethttp", "node"]


def test_presets_follow_changes_of_the_catalogue(client: TestClient, host_id: UUID) -> None:
    def set_present(present: bool) -> None:
        with unit_of_work() as session:
            session.execute(
                update(Framework).where(Framework.slug == "node").values(present=present)
            )

    before = list_of_first_look(client)
    set_present(False)
    try:
        without = list_of_first_look(client)
    finally:
        set_present(True)

    assert before == ["node", "go-nethttp"]
    assert without == ["go-nethttp", "fastapi"]
    assert list_of_first_look(client) == before


def test_presets_follow_changes_of_studies(client: TestClient, host_id: UUID) -> None:
    def list_slugs() -> set[str]:
        return {item["slug"] for item in document(client.get(PRESETS))["items"]}

    def set_present(present: bool) -> None:
        with unit_of_work() as session:
            session.execute(
                update(Study).where(Study.slug == "wrk-flavours").values(present=present)
            )

    before = list_slugs()
    set_present(False)
    try:
        without = list_slugs()
    finally:
        set_present(True)

    assert before - without == {"wrk-flavours"}
    assert list_slugs() == before


def test_an_unknown_preset_is_refused_with_the_known_ones(
    client: TestClient, host_id: UUID
) -> None:
    missing = problem(client.get(f"{PRESETS}/first-glance"), 404, "not_found")

    assert "first-look" in missing["detail"]
