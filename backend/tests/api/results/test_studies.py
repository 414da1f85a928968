"""Studies over REST: tables, reproductions, and their comparison with the published numbers."""

from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.tests.factories import fail_next, succeed_next
from backend.tests.rows import count_rows

STUDIES = "/api/v1/studies"
FLAVOURS = f"{STUDIES}/wrk-flavours"


def reproduce(client: TestClient, study: str = FLAVOURS, **body: Any) -> dict[str, Any]:
    answer = client.post(f"{study}/reproduce", json={"variant": "quick", **body})
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/api/v1/runs/{answer.json()['id']}"
    whole: dict[str, Any] = client.get(answer.headers["Location"]).json()
    return whole


def finish(host_id: UUID, trials: int, *, failing: int = 0) -> None:
    with unit_of_work() as session:
        for index in range(trials):
            if index < failing:
                fail_next(session, host_id)
            else:
                succeed_next(session, host_id)


def test_the_studies_are_listed_in_their_order(client: TestClient) -> None:
    items = client.get(STUDIES).json()["items"]

    assert [item["slug"] for item in items][:2] == ["nest-spring-micro", "jvm-backend-services"]
    flavours = next(item for item in items if item["slug"] == "wrk-flavours")
    assert (flavours["tables"], flavours["figures"], flavours["reproductions"]) == (2, 60, 0)


def test_a_study_without_a_reproduction_shows_its_published_numbers(
    client: TestClient, host_id: UUID
) -> None:
    study = client.get(FLAVOURS).json()

    assert (study["shown"], study["runs"]) == (None, [])
    cell = study["result_tables"][0]["rows"][0]["cells"][0]
    assert (cell["printed"], cell["figures"][0]["published"]) == ("6000", 6000)
    assert cell["figures"][0]["measured"]["reason"] == "Not reproduced yet."
    assert {claim["cause"] for claim in study["claim_results"]} == {"not_measured"}
    assert study["lead"] == []
    assert study["variants"]["quick"]["trials"] == 5
    assert study["variants"]["quick"]["seconds"] > 0
    assert not study["variants"]["quick"]["impossible"]
    assert len(study["variants"]["full"]["cells"]) == 6 * 2 * 5


def test_a_reproduction_is_shown_next_to_the_published_numbers(
    client: TestClient, host_id: UUID
) -> None:
    run = reproduce(client, trials=1)
    assert run["study"] == {"slug": "wrk-flavours", "variant": "quick"}
    assert len(run["cells"]) == 6 * 2 * 2
    finish(host_id, len(run["trials"]))

    study = client.get(FLAVOURS).json()

    assert study["shown"]["slug"] == run["slug"]
    cells = study["result_tables"][0]["rows"][0]["cells"]
    slot = cells[0]["figures"][0]
    assert slot["measured"]["summary"]["estimate"] == pytest.approx(3)
    assert slot["ratio"] == pytest.approx(3 / 6000)
    # The quick variant does not contain the size 1k.
    assert cells[1]["figures"][0]["measured"]["reason"] == "Not part of this quick reproduction."
    assert client.get(FLAVOURS, params={"run": run["slug"]}).json()["shown"] == study["shown"]


def test_a_claim_states_what_decides_it_in_a_unit(client: TestClient, host_id: UUID) -> None:
    finish(host_id, len(reproduce(client, trials=1)["trials"]))

    study = client.get(FLAVOURS).json()

    claim = study["claim_results"][0]
    assert (claim["finding"], claim["cause"]) == ("undecided", "too_few_trials")
    assert claim["deciding"] == claim["checks"][0]
    assert claim["deciding"]["unit"] == "×"
    assert claim["deciding"]["reason"] == "Only 1 trial; a claim is decided by at least 5."
    assert study["deciding_trials"] == 5
    measured = claim["deciding"]["measured"]
    assert [item["system"] for item in measured] == ["quarkus-vertx-web", "spring-boot"]
    assert study["lead"][0].startswith("No headline claim of this study is confirmed here (3 × ")
    assert "Quarkus on Vert.x serves about twice as much as Spring Boot" in study["lead"][1]
    assert {"topic", "study", "here", "reason"} == set(study["differences"][0])


def test_a_rerun_of_a_reproduction_is_a_reproduction(client: TestClient, host_id: UUID) -> None:
    run = reproduce(client, trials=1)

    again = client.post(f"/api/v1/runs/{run['slug']}/rerun").json()

    assert again["study"] == run["study"]
    assert client.get(FLAVOURS).json()["reproductions"] == 2


def test_failed_results_are_marked_and_steps_are_found_by_rate(
    client: TestClient, host_id: UUID
) -> None:
    jvm = f"{STUDIES}/jvm-backend-services"
    run = reproduce(client, jvm, trials=1)
    total = len(run["trials"])
    finish(host_id, total, failing=total)
    assert client.get(jvm).json()["shown"] is None

    shown = client.get(jvm, params={"run": run["slug"]}).json()

    cell = shown["result_tables"][0]["rows"][0]["cells"][0]
    assert cell["figures"][0]["measured"]["reason"] == "All trials failed: Build failed"


def test_an_invalid_request_is_refused_with_its_field(client: TestClient, host_id: UUID) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("variant", {}),
        ("variant", {"variant": "half"}),
        ("trials", {"variant": "quick", "trials": 0}),
        ("host", {"variant": "quick", "host": "nowhere"}),
        ("cells", {"variant": "quick", "cells": []}),
    ]
    for field, body in cases:
        answer = client.post(f"{FLAVOURS}/reproduce", json=body)

        assert answer.status_code == 422
        assert [problem["field"] for problem in answer.json()["problems"]] == [field]
    assert count_rows() == (0, 0, 0)
    assert client.get(f"{STUDIES}/nothing").status_code == 404
    assert client.get(FLAVOURS, params={"run": "nothing"}).status_code == 404
    assert client.post(f"{STUDIES}/nothing/reproduce", json={"variant": "quick"}).status_code == 404
