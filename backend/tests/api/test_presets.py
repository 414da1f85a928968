"""Presets over REST: each can be started as it is."""

from uuid import UUID

from fastapi.testclient import TestClient
from sqlalchemy import update

from backend.core.db import unit_of_work
from backend.core.models import Framework
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS
from backend.tests.factories import add_host

PRESETS = "/api/v1/presets"


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


def test_presets_follow_changes_of_the_catalogue(client: TestClient, host_id: UUID) -> None:
    def list_of_first_look() -> list[str]:
        preset = document(client.get(f"{PRESETS}/first-look"))
        return [framework["slug"] for framework in preset["frameworks"]]

    def set_present(present: bool) -> None:
        with unit_of_work() as session:
            session.execute(
                update(Framework).where(Framework.slug == "node").values(present=present)
            )

    before = list_of_first_look()
    set_present(False)
    try:
        without = list_of_first_look()
    finally:
        set_present(True)

    assert before == ["node", "go-nethttp"]
    assert without == ["go-nethttp", "fastapi"]
    assert list_of_first_look() == before


def test_an_unknown_preset_is_refused_with_the_known_ones(
    client: TestClient, host_id: UUID
) -> None:
    missing = problem(client.get(f"{PRESETS}/first-glance"), 404, "not_found")

    assert "first-look" in missing["detail"]
