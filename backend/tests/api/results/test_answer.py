"""/runs/{id}/answer on stored trials: every kind of run, its outcome and its remedy."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.models import Cell, Run
from backend.core.runs import service
from backend.core.units import Metric, Purpose, Verdict
from backend.tests.answers import document, problem
from backend.tests.factories import ask_run, fail_next
from backend.tests.measured_runs import Measure, by_cpu, compare_two, measure_run

NAMES = ("node", "go-nethttp", "express")
CPU = Metric.CPU_US_PER_REQUEST
RPS = Metric.THROUGHPUT_RPS


@pytest.fixture
def answer_of(client: TestClient, host_id: UUID) -> Callable[..., dict[str, Any]]:
    """Measure a run of these frameworks, and return its answer."""

    def answer(
        measure: Measure,
        frameworks: Sequence[str] = NAMES,
        warn: Callable[[Cell], Sequence[Verdict]] = lambda _: (),
        **changes: Any,
    ) -> dict[str, Any]:
        with unit_of_work() as session:
            run = ask_run(session, frameworks, **{"count": 5} | changes)
            slug = measure_run(session, host_id, run, measure, warn).slug
        found = document(client.get(f"/api/v1/runs/{slug}/answer"))
        item = document(client.get("/api/v1/runs"))["items"][0]
        assert (item["outcome"], item["summary"]) == (found["outcome"], found["summary"])
        return found

    return answer


def test_too_few_trials_are_not_usable_and_five_are_offered(
    answer_of: Callable[..., dict[str, Any]], client: TestClient
) -> None:
    answer = answer_of(by_cpu(node=120, go_nethttp=60), NAMES[:2], count=2)

    assert (answer["outcome"], answer["headline"]) == ("not_usable", "No usable result")
    assert answer["reason"] == "Both results have only 2 trials; at least 3 are needed."
    assert answer["remedy"]["label"] == "Run again with 5 trials"
    assert answer["rows"][0]["interval"] is None
    assert answer["rows"][0]["values"].count(",") == 1
    queued = document(client.post("/api/v1/runs", json=answer["remedy"]["plan"]), 202)
    assert queued["trials_per_cell"] == 5
    assert answer["remedy"]["page"].startswith("/runs/new?cells=hello.node,hello.go-nethttp&")


def test_a_missed_rate_offers_a_rate_that_all_achieved(
    answer_of: Callable[..., dict[str, Any]], client: TestClient
) -> None:
    achieved = {"node": 640.0, "go-nethttp": 910.0}

    answer = answer_of(
        lambda cell: {CPU: 60, RPS: achieved[cell.framework.slug]},
        NAMES[:2],
        lambda _: [Verdict.GENERATOR_SATURATED],
    )

    assert answer["outcome"] == "not_usable"
    assert answer["reason"] == (
        "Both results missed the target rate: Node.js answered 640\u202freq/s of "
        "1\u202f000\u202freq/s."
    )
    assert answer["remedy"]["label"] == "Run again at 500\u202freq/s"
    plan = answer["remedy"]["plan"]
    assert {cell["parameters"]["rate_rps"] for cell in plan["cells"]} == {500}
    document(client.post("/api/v1/runs", json=plan), 202)
    assert "set=hello.rate_rps.500" in answer["remedy"]["page"]


def test_an_unsteady_result_is_not_ranked_and_offers_a_longer_warm_up(
    answer_of: Callable[..., dict[str, Any]], client: TestClient
) -> None:
    answer = answer_of(
        by_cpu(node=120, go_nethttp=60, express=30),
        warn=lambda cell: [Verdict.NEVER_STEADY] if cell.framework.slug == "express" else [],
    )

    assert answer["headline"].startswith("Go net/http uses the least CPU per request, ")
    assert [row["rank"] for row in answer["rows"]] == [1, 2, None]
    assert answer["rows"][2]["value"] == "30.0\u202fµs"
    assert answer["outcome"] == "usable_with_warnings"
    assert answer["remedy"]["label"] == "Run again with up to 60 s of warm-up"
    loads = [cell["parameters"] for cell in answer["remedy"]["plan"]["cells"]]
    assert {(load["warm_up_seconds"], load["duration_seconds"]) for load in loads} == {(60, 10)}
    document(client.post("/api/v1/runs", json=answer["remedy"]["plan"]), 202)
    assert "hello.warm_up_seconds.60" in answer["remedy"]["page"]


def test_a_failed_run_names_the_failure(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        run = ask_run(session, count=1)
        fail_next(session, host_id)

    answer = document(client.get(f"/api/v1/runs/{run.slug}/answer"))

    assert answer["outcome"] == "not_usable"
    assert answer["reason"] == "Every trial of Node.js failed: npm [/ci] said no."
    assert answer["remedy"] is None


def test_an_unfinished_run_has_no_outcome(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        slug = ask_run(session, count=2).slug

    answer = document(client.get(f"/api/v1/runs/{slug}/answer"))

    assert (answer["kind"], answer["outcome"], answer["rows"]) == ("pending", None, [])
    assert document(client.get(f"/api/v1/runs/{slug}"))["outcome"] is None


def test_a_cancelled_run_can_be_run_again(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        run = ask_run(session, count=5)
        service.cancel_run(session, run)
        slug = run.slug

    answer = document(client.get(f"/api/v1/runs/{slug}/answer"))

    assert answer["outcome"] == "not_usable"
    assert answer["remedy"]["label"] == "Run again"
    assert answer["warnings"][0]["summary"] == "The run was cancelled after 0 of 5 trials."


def test_a_calibration_without_the_reference_service_is_not_usable(
    answer_of: Callable[..., dict[str, Any]], client: TestClient, host_id: UUID
) -> None:
    with unit_of_work() as session:
        run = ask_run(session, ("null-server",), count=3, purpose=Purpose.CALIBRATION)
        slug = measure_run(session, host_id, run, lambda _: {}).slug

    answer = document(client.get(f"/api/v1/runs/{slug}/answer"))

    assert (answer["kind"], answer["outcome"]) == ("calibration", "not_usable")
    assert answer["reason"].startswith("The reference service has no result")
    assert answer["remedy"]["label"] == "Run again when the host is idle"
    assert answer["remedy"]["plan"]["purpose"] == "calibration"
    assert answer["remedy"]["page"] is None


def test_lists_filter_by_outcome(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        runs: dict[str, Run] = {
            "usable": compare_two(session, host_id),
            "not_usable": compare_two(session, host_id, trials=1),
        }
        slugs = {outcome: run.slug for outcome, run in runs.items()}

    for outcome, slug in slugs.items():
        items = document(client.get(f"/api/v1/runs?outcome={outcome}"))["items"]
        assert [item["slug"] for item in items] == [slug]
    assert document(client.get("/api/v1/runs?outcome=usable_with_warnings"))["items"] == []
    problem(client.get("/api/v1/runs?outcome=good"), 422, "invalid_request")
