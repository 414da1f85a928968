"""/runs/{id}/answer on stored trials: every kind of run, its outcome and its remedy."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from backend.core.db import unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.models import Cell, Run
from backend.core.runs import service
from backend.core.runs.repository import get_run
from backend.core.units import Metric, Purpose, Verdict
from backend.tests.answers import document, problem
from backend.tests.factories import ask_run, fail_next, first_workspace
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


def test_a_ranking_names_the_best_and_the_ratio_of_the_next(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(by_cpu(node=120, go_nethttp=60, express=180))

    assert (answer["kind"], answer["outcome"]) == ("ranking", "usable")
    assert answer["headline"] == "Go net/http uses the least CPU per request, 2× less than Node.js"
    assert answer["summary"] == answer["headline"]
    assert answer["facts"][:3] == ["Hello", "1\u202f000\u202freq/s", "bench-01"]
    assert answer["sentences"][-1] == "Each result has 5 trials."
    assert [row["rank"] for row in answer["rows"]] == [1, 2, 3]
    assert answer["rows"][0]["comparison"] == "1×"
    assert answer["rows"][1]["comparison"].startswith("2× [1.9")
    assert (answer["reason"], answer["remedy"], answer["warnings"]) == (None, None, [])
    assert (answer["lines"], answer["matrix"]) == ([], None)


def test_equal_results_have_no_winner(answer_of: Callable[..., dict[str, Any]]) -> None:
    answer = answer_of(by_cpu(node=60, go_nethttp=60.1), NAMES[:2])

    assert answer["headline"] == "Node.js and Go net/http are equivalent in CPU per request"
    assert answer["rows"][1]["comparison"] == "equivalent within 3 %"


def test_an_excluded_result_is_a_warning_and_has_no_rank(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    def warn(cell: Cell) -> Sequence[Verdict]:
        return [Verdict.TOO_MANY_ERRORS] if cell.framework.slug == "express" else []

    answer = answer_of(by_cpu(node=120, go_nethttp=60, express=30), warn=warn)

    assert answer["outcome"] == "usable_with_warnings"
    assert answer["headline"].startswith("Go net/http uses the least CPU per request, ")
    (warning,) = answer["warnings"]
    assert warning["summary"] == "1 of 3 results is excluded: too many errors."
    assert warning["details"] == ["Express: Why: too_many_errors."]
    assert answer["reason"] == warning["summary"]
    last = answer["rows"][-1]
    assert (last["rank"], last["excluded"]) == (None, True)
    assert last["comparison"] == "excluded: too many errors"


def test_a_warning_that_all_results_share_is_shown_once(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(
        by_cpu(node=120, go_nethttp=60), NAMES[:2], lambda _: [Verdict.HOST_BUSY], count=4
    )

    assert answer["outcome"] == "usable_with_warnings"
    assert [warning["summary"] for warning in answer["warnings"]] == [
        "Other programs used the host while all results were measured.",
        "All results have only 4 trials.",
    ]


@pytest.mark.parametrize(
    "verdict", sorted(set(Verdict) - EXCLUDING - {Verdict.OK, Verdict.TOO_FEW_TRIALS})
)
def test_every_verdict_that_excludes_nothing_is_a_warning(
    answer_of: Callable[..., dict[str, Any]], verdict: Verdict
) -> None:
    answer = answer_of(by_cpu(node=120, go_nethttp=60), NAMES[:2], lambda _: [verdict])

    (warning,) = answer["warnings"]
    assert warning["summary"].endswith(".")
    assert len(warning["results"]) == 2


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


def test_a_rate_missed_by_little_on_a_busy_host_is_repeated_when_it_is_idle(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(
        lambda _: {CPU: 60, RPS: 970.0},
        NAMES[:2],
        lambda _: [Verdict.GENERATOR_SATURATED, Verdict.HOST_BUSY],
    )

    assert answer["remedy"]["label"] == "Run again when the host is idle"


def test_a_run_that_the_host_disturbed_has_an_answer_with_a_warning(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(
        by_cpu(node=120, go_nethttp=60), NAMES[:2], lambda _: [Verdict.HOST_DISTURBED]
    )

    assert answer["headline"].startswith("Go net/http uses the least CPU per request, ")
    assert answer["outcome"] == "usable_with_warnings"
    assert [item["summary"] for item in answer["warnings"]] == [
        "The host disturbed trials of all results, so their intervals are wider."
    ]


@pytest.mark.parametrize("verdict", [Verdict.NEVER_STEADY, Verdict.STEADINESS_NOT_TESTED])
def test_an_unsteady_result_is_not_ranked_and_offers_a_longer_warm_up(
    answer_of: Callable[..., dict[str, Any]], client: TestClient, verdict: Verdict
) -> None:
    answer = answer_of(
        by_cpu(node=120, go_nethttp=60, express=30),
        warn=lambda cell: [verdict] if cell.framework.slug == "express" else [],
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


def test_a_run_without_a_steady_result_offers_a_longer_warm_up(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(by_cpu(node=120, go_nethttp=60), NAMES[:2], lambda _: [Verdict.NEVER_STEADY])

    assert answer["outcome"] == "not_usable"
    assert answer["reason"] == "Both results are excluded from ranking: never steady."
    assert answer["remedy"]["label"] == "Run again with up to 60 s of warm-up"


def test_wrong_answers_have_no_remedy(answer_of: Callable[..., dict[str, Any]]) -> None:
    answer = answer_of(
        by_cpu(node=120, go_nethttp=60), NAMES[:2], lambda _: [Verdict.WRONG_ANSWERS]
    )

    assert answer["reason"] == "Both results are excluded from ranking: wrong answers."
    assert answer["remedy"] is None


def test_a_single_usable_result_cannot_be_compared(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    def warn(cell: Cell) -> Sequence[Verdict]:
        return [Verdict.TOO_MANY_ERRORS] if cell.framework.slug == "node" else []

    answer = answer_of(by_cpu(node=120, go_nethttp=60), NAMES[:2], warn)

    assert answer["outcome"] == "not_usable"
    assert answer["headline"] == "Only Go net/http has a usable result"
    assert "Node.js is excluded from ranking: too many errors" in answer["reason"]


def test_a_sweep_names_the_value_at_which_the_order_changes(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    cpu = {("node", 100): 60, ("node", 500): 90, ("go-nethttp", 100): 80, ("go-nethttp", 500): 70}

    answer = answer_of(
        lambda cell: {CPU: cpu[cell.framework.slug, cell.parameters["rate_rps"]]},
        NAMES[:2],
        parameters=[{"rate_rps": 100}, {"rate_rps": 500}],
    )

    assert answer["kind"] == "sweep"
    assert answer["headline"] == (
        "Least CPU per request: Node.js up to 100\u202freq/s, Go net/http from 500\u202freq/s"
    )
    assert answer["sentences"][0] == (
        "The order changes at 500\u202freq/s: Go net/http passes Node.js."
    )
    assert [line["leaders"] for line in answer["lines"]] == [["node"], ["go-nethttp"]]
    assert answer["lines"][0]["sentence"].startswith("Node.js: 60")
    assert [column["label"] for column in answer["matrix"]["columns"]] == [
        "100\u202freq/s",
        "500\u202freq/s",
    ]
    assert answer["facts"][1] == "100 to 500\u202freq/s"


def test_a_sweep_without_a_change_names_the_best_at_all_values(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(
        by_cpu(node=120, go_nethttp=60),
        NAMES[:2],
        parameters=[{"rate_rps": 100}, {"rate_rps": 500}],
    )

    assert answer["headline"] == (
        "Go net/http uses the least CPU per request at 100 and 500\u202freq/s, 2× less than Node.js"
    )
    assert answer["sentences"][0] == (
        "The order is the same at all values, as far as the results can be told apart."
    )


def test_steps_name_the_sustained_rate_and_what_failed_next(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    sustained = {"node": 300.0, "go-nethttp": 500.0}

    answer = answer_of(
        lambda cell: {Metric.SUSTAINED_RPS: sustained[cell.framework.slug]},
        NAMES[:2],
        profile="steps-quick",
        parameters={"first_rps": 100, "step_rps": 100, "steps": 10},
    )

    assert answer["kind"] == "steps"
    assert answer["headline"].startswith("Go net/http sustains the highest rate, 500")
    first, second = answer["lines"]
    assert (first["label"], first["leaders"]) == ("Go net/http", ["go-nethttp"])
    assert "At 600\u202freq/s, fewer than" in first["sentence"]
    assert (second["label"], second["leaders"]) == ("Node.js", [])


def test_steps_that_several_frameworks_pass_state_that_more_was_not_offered(
    answer_of: Callable[..., dict[str, Any]],
) -> None:
    answer = answer_of(
        lambda _: {Metric.SUSTAINED_RPS: 1000.0},
        NAMES[:2],
        profile="steps-quick",
        parameters={"first_rps": 100, "step_rps": 100, "steps": 10},
    )

    assert answer["headline"] == (
        "Node.js and Go net/http cannot be told apart yet in rate sustained"
    )
    assert [row["value"] for row in answer["rows"]] == ["at least 1\u202f000\u202freq/s"] * 2
    assert answer["rows"][1]["state"] == "cannot_be_told_apart_yet"
    assert answer["sentences"][0].endswith("Only higher or smaller steps would decide.")
    assert answer["sentences"][1:3] == [
        "Node.js and Go net/http sustained every step.",
        "1\u202f000\u202freq/s was the last step; more was not offered.",
    ]
    assert answer["lines"][0]["sentence"].endswith("1\u202f000\u202freq/s; more was not offered.")


def test_loads_with_several_values_have_the_ratio_of_the_next_result(
    client: TestClient, host_id: UUID
) -> None:
    rates = {100: 130, 500: 190}
    with unit_of_work() as session:
        body = [
            *(
                CellRequest(framework, scenario, "rate-quick", {"rate_rps": rate})
                for scenario in ("hello", "slow-upstream")
                for rate in rates
                for framework in NAMES
            ),
            *(CellRequest(framework, "hello", "steps-quick") for framework in NAMES),
        ]
        run = service.create_run(
            session, first_workspace(session), RunRequest(cells=body, trials=5)
        )

        def measure(cell: Cell) -> dict[Metric, float]:
            slug, parameters = cell.framework.slug, cell.parameters
            if "steps" in parameters:
                last = parameters["first_rps"] + (parameters["steps"] - 1) * parameters["step_rps"]
                return {Metric.SUSTAINED_RPS: last / 2 if slug == "express" else last}
            return {CPU: rates[parameters["rate_rps"]] if slug == "express" else 60}

        ended = measure_run(session, host_id, get_run(session, str(run.id)), measure)

    answer = document(client.get(f"/api/v1/runs/{ended.slug}/answer"))

    sentences = [line["sentence"] for line in answer["lines"]]
    swept = [sentence for sentence in sentences if "the least CPU per request" in sentence]
    assert (
        swept
        == [
            "Node.js and Go net/http use the least CPU per request at 100 and 500\u202freq/s, 2.17 "
            "to 3.17× less than Express."
        ]
        * 2
    )
    (steps,) = (sentence for sentence in sentences if sentence not in swept)
    assert "req/s of Express. " in steps
    assert steps.endswith("req/s was the last step; more was not offered.")


def test_several_scenarios_have_a_line_each_and_a_matrix(client: TestClient, host_id: UUID) -> None:
    cpu = {("node", "hello"): 60, ("node", "slow-upstream"): 60}
    with unit_of_work() as session:
        body = [
            CellRequest(framework, scenario)
            for scenario in ("hello", "slow-upstream")
            for framework in NAMES[:2]
        ]
        run = service.create_run(
            session, first_workspace(session), RunRequest(cells=body, trials=5)
        )
        ended = measure_run(
            session,
            host_id,
            get_run(session, str(run.id)),
            lambda cell: {CPU: cpu.get((cell.framework.slug, cell.scenario.slug), 90)},
        )

    answer = document(client.get(f"/api/v1/runs/{ended.slug}/answer"))

    assert answer["kind"] == "scenarios"
    assert answer["headline"] == (
        "Node.js uses the least CPU per request in both scenarios, 1.50× less than Go net/http"
    )
    assert [line["label"] for line in answer["lines"]] == ["Hello", "Slow upstream"]
    rows = answer["matrix"]["rows"]
    assert [row["framework"] for row in rows] == ["node", "go-nethttp"]
    assert [cell["text"] for cell in rows[1]["cells"]] == ["1.50× worse"] * 2
    assert [cell["is_best"] for cell in rows[0]["cells"]] == [True, True]


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
