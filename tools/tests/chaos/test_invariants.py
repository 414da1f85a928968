"""Each invariant finds its violation, and nothing in a correct run."""

from dataclasses import replace
from typing import Any

import pytest

from backend.core.statuses import TrialStatus
from backend.core.units import FailureCause, RuntimeKind
from tools.chaos.faults import KINDS, SUCCESS, Action, Kind, Target
from tools.chaos.invariants import (
    RunFacts,
    TrialRecord,
    check_message,
    list_violations,
    read_outcome,
)
from tools.chaos.plan import Fault

_REQUESTS = 100
_SAMPLES = [
    {"phase": "measure", "second": second, "requests": _REQUESTS, "failed": 0}
    for second in range(3)
]
_SERVICE_DIED = {
    "code": "service_died",
    "title": "The service died",
    "detail": "The service was killed by SIGKILL while measuring.",
    "stage": "measuring",
    "evidence": [],
    "cause": "service",
}

_K6_DIED = {
    **_SERVICE_DIED,
    "code": "load_generator_died",
    "detail": "The load generator was killed by SIGKILL.",
    "cause": "load_generator",
}


def fault(target: Target, action: Action = Action.KILL) -> Fault:
    kind = next(kind for kind in KINDS if (kind.target, kind.action) == (target, action))
    return plan(kind)


def plan(kind: Kind) -> Fault:
    return Fault(1, kind, RuntimeKind.PROCESS, TrialStatus.MEASURING, "node", 2, 0.0, 0.0)


def succeeded(repetition: int = 1, attempt: int = 1) -> TrialRecord:
    document = {
        "id": f"trial-{repetition}",
        "cell_id": "cell",
        "repetition": repetition,
        "status": "succeeded",
        "attempt": attempt,
        "failure": None,
        "retried_failures": [],
        "stage_seconds": {"measuring": 3.1},
        "metrics": {"throughput_rps": float(_REQUESTS), "boot_ms": 80.0},
    }
    latency = {"count": 3 * _REQUESTS, "failed": 0}
    return TrialRecord(document, _SAMPLES, latency, 3 * _REQUESTS, controls=2)


def failed(failure: dict[str, Any], attempt: int = 1) -> TrialRecord:
    right = succeeded(1, attempt).document
    return TrialRecord({**right, "status": "failed", "failure": failure})


def repeat(trial: TrialRecord, *failures: dict[str, Any]) -> TrialRecord:
    """Return the same trial after failed attempts with this cause."""
    return replace(trial, document={**trial.document, "retried_failures": list(failures)})


def run_of(first: TrialRecord) -> RunFacts:
    status = "failed" if first.document["status"] == "failed" else "succeeded"
    return RunFacts(
        run={"status": status, "cells": [{"id": "cell"}]},
        trials=[first, succeeded(2)],
        hit_trial_id="trial-1",
        followed_ids=["1-0", "1-1", "2-0"],
        all_ids=["1-0", "1-1", "2-0"],
    )


def test_a_correct_run_violates_nothing() -> None:
    assert list_violations(fault(Target.WORKER), run_of(succeeded(attempt=2))) == []
    assert list_violations(fault(Target.SERVICE), run_of(failed(_SERVICE_DIED))) == []


def test_a_killed_service_is_reported_with_its_signal_and_not_repeated() -> None:
    own = fault(Target.SERVICE)
    by_code = failed(_SERVICE_DIED | {"detail": "It ended with exit code 137."})

    assert "ended as success" in list_violations(own, run_of(succeeded()))[0]
    assert "does not name the signal" in list_violations(own, run_of(by_code))[0]
    repeated = list_violations(own, run_of(repeat(failed(_SERVICE_DIED), _K6_DIED)))
    assert "was repeated 1 times" in repeated[0]


def test_infrastructure_faults_are_repeated_and_never_blamed_on_the_service() -> None:
    own = fault(Target.K6, Action.KILL_EACH_ATTEMPT)
    at_last = failed(_K6_DIED, attempt=3)

    assert list_violations(own, run_of(repeat(at_last, _K6_DIED, _K6_DIED))) == []
    once = list_violations(own, run_of(repeat(at_last, _K6_DIED)))
    assert "was repeated 1 times although" in once[0]
    thrice = list_violations(own, run_of(repeat(at_last, _K6_DIED, _K6_DIED, _K6_DIED)))
    assert "was repeated 3 times" in thrice[0]
    assert "right is" in list_violations(own, run_of(failed(_SERVICE_DIED)))[0]


def test_a_trial_without_its_backing_service_has_no_result() -> None:
    own = fault(Target.BACKING)

    assert list_violations(own, run_of(succeeded(attempt=2))) == []
    assert "was gone" in list_violations(own, run_of(succeeded()))[0]


def test_a_short_cut_of_the_network_repeats_no_trial() -> None:
    short, _, long = [plan(kind) for kind in KINDS if kind.target is Target.NETWORK]

    assert list_violations(short, run_of(succeeded())) == []
    assert list_violations(short, run_of(succeeded(attempt=2))) == ["took 2 attempts"]
    assert list_violations(long, run_of(succeeded(attempt=2))) == []
    assert list_violations(long, run_of(succeeded())) == []


def test_an_unnoticed_fault_changes_neither_attempts_nor_timing() -> None:
    own = fault(Target.REDIS, Action.STOP)
    late = succeeded()
    late = replace(late, document={**late.document, "stage_seconds": {"measuring": 20.4}})

    assert "took 2 attempts" in list_violations(own, run_of(succeeded(attempt=2)))[0]
    assert "measuring took 20.4 s" in list_violations(own, run_of(late))[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"requests_total": 299}, "its total 299"),
        ({"latency": {"count": 297, "failed": 0}}, "its histogram has 297 requests"),
        ({"latency": {"count": 301, "failed": 0}}, "its histogram has 301 requests"),
        ({"latency": {"count": 299, "failed": 1}}, "its histogram has 300 requests"),
        ({"samples": _SAMPLES[:2]}, "its measured seconds are [0, 1]"),
    ],
)
def test_values_of_a_trial_must_be_consistent(change: dict[str, Any], words: str) -> None:
    found = list_violations(fault(Target.API), run_of(replace(succeeded(), **change)))

    assert any(words in text for text in found)


def test_a_boot_time_of_an_hour_is_found() -> None:
    trial = succeeded()
    metrics = {**trial.document["metrics"], "boot_ms": 3_600_080.0}
    late = replace(trial, document={**trial.document, "metrics": metrics})

    assert "3600080.0 ms to boot" in list_violations(fault(Target.WORKER), run_of(late))[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"is_finalized": False}, "not finalized"),
        ({"remains": ["process 7 k6"]}, "left behind: process 7 k6"),
        ({"trials": [succeeded()]}, "lost or doubled"),
        ({"trials": [succeeded(), succeeded()]}, "lost or doubled"),
        ({"followed_ids": ["1-0", "1-0", "1-1", "2-0"]}, "has repetitions or is out of order"),
        ({"followed_ids": ["1-0", "2-0"]}, "a gap of 1 events"),
        ({"stream_ended": False}, "did not end"),
        ({"read_failures": ["ReadTimeout"]}, "not readable: ReadTimeout"),
        ({"recovery_s": 60.5}, "recovery took 60.5 s"),
    ],
)
def test_a_run_must_be_complete(change: dict[str, Any], words: str) -> None:
    found = list_violations(fault(Target.WORKER), replace(run_of(succeeded()), **change))

    assert any(words in text for text in found), found


def test_a_stream_may_end_by_the_runs_state_before_its_last_events() -> None:
    facts = replace(run_of(succeeded()), followed_ids=["1-0", "1-1"])

    assert list_violations(fault(Target.WORKER), facts) == []


def test_events_lost_with_a_killed_redis_are_not_a_gap() -> None:
    facts = replace(run_of(succeeded()), followed_ids=["2-0"])

    assert list_violations(fault(Target.REDIS), facts) == []


@pytest.mark.parametrize(
    "detail",
    [
        "",
        "OperationalError: (psycopg.OperationalError) consuming input failed.",
        "See https://sqlalche.me/e/20/e3q8.",
        "OCI runtime exec failed: exec failed.",
        "Waiting for service ended without an answer: ",
    ],
)
def test_a_message_is_complete_and_contains_no_library_text(detail: str) -> None:
    assert check_message(_SERVICE_DIED | {"detail": detail}) != []
    assert check_message(_SERVICE_DIED) == []


def test_a_failure_before_a_repeat_never_blames_the_service() -> None:
    repeated = repeat(succeeded(attempt=2), _SERVICE_DIED)

    assert "a repeat blames" in list_violations(fault(Target.K6), run_of(repeated))[0]
    assert read_outcome(failed(_SERVICE_DIED).document) is FailureCause.SERVICE
    assert read_outcome(repeated.document) == SUCCESS
