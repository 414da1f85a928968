"""Each verdict about answers appears just beyond its limit, and not just within it."""

from typing import Any

import pytest

from backend.core.documents import CallCount, ConformanceCheck, ResponseChecks, WrongAnswer
from backend.core.measurement.measurements.answers import (
    AnswerEvidence,
    judge_answers,
    judge_behaviour,
    judge_speed,
    judge_work,
    judge_wrong_answers,
)
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.verdicts import ResultWarning
from backend.core.units import Verdict
from backend.tests.measuring import histogram_of

_FIRST = WrongAnswer(
    request="GET /hello?nonce=0123456789abcdef", expected="Hello World!", got="Hello"
)


def checks(**changes: Any) -> ResponseChecks:
    """Return the checks of an honest load of 10,000 requests."""
    found: ResponseChecks = {
        "sent": 10_000,
        "answered": 10_000,
        "resent": 0,
        "compared": 100,
        "wrong": 0,
        "signed": 0,
        "bunched": 0,
        "controls": 10,
        "controls_wrong": 0,
        "first_wrong": None,
        "counts": [],
    }
    return found | changes  # type: ignore[return-value]


def calls(number: int | None) -> list[CallCount]:
    return [CallCount(name="calls of the upstream", calls=number)]


def check(passed: bool, name: str = "GET / answers 200") -> ConformanceCheck:
    return ConformanceCheck(name=name, passed=passed, expected="200", got="204")


def evidence(wait_ms: float, **changes: Any) -> AnswerEvidence:
    fields: dict[str, Any] = {
        "checks": checks(),
        "after": [],
        "has_answered_after": True,
        "was_overloaded": False,
        "has_full_cpu": False,
        "times_from_send": Histogram.empty(),
    }
    return AnswerEvidence(**fields | changes, wait_ms=wait_ms)


WORK_NOT_DONE = {
    "too few": (
        checks(counts=calls(9_989)),
        "Calls of the upstream: 9,989, but 10,000 requests were answered.",
    ),
    "too many": (
        checks(counts=calls(10_011)),
        "Calls of the upstream: 10,011, but only 10,000 requests were sent.",
    ),
    "one of two peers": (
        checks(counts=[*calls(10_000), CallCount(name="messages of step-4", calls=0)]),
        "Messages of step-4: 0, but 10,000 requests were answered.",
    ),
    "a small load": (
        checks(sent=20, answered=18, counts=calls(17)),
        "Calls of the upstream: 17, but 18 requests were answered.",
    ),
    "extra calls of a small load": (
        checks(sent=20, answered=18, counts=calls(23)),
        "Calls of the upstream: 23, but only 20 requests were sent.",
    ),
    "a counter set back": (
        checks(counts=calls(-3)),
        "Calls of the upstream: -3, but 10,000 requests were answered.",
    ),
    "a counter that could not be read": (
        checks(counts=calls(None)),
        "Calls of the upstream: the number could not be read after the load, so it cannot be "
        "compared with the 10,000 requests that were answered.",
    ),
}
WORK_DONE = {
    "nothing is counted": checks(),
    "0.1 % too few": checks(counts=calls(9_990)),
    "0.1 % too many": checks(counts=calls(10_010)),
    "timeouts before the call": checks(sent=10_000, answered=6_000, counts=calls(6_000)),
    "timeouts after the call": checks(sent=10_000, answered=6_000, counts=calls(10_000)),
    "no answer and no counter": checks(sent=10_000, answered=0, counts=calls(None)),
    "resent requests": checks(resent=50, counts=calls(10_050)),
    "two calls repeated by the service": checks(sent=20, answered=20, counts=calls(22)),
    "control requests need no call": checks(controls=1_000, counts=calls(10_000)),
}


@pytest.mark.parametrize(("case", "detail"), WORK_NOT_DONE.values(), ids=WORK_NOT_DONE)
def test_calls_that_do_not_match_the_requests(case: ResponseChecks, detail: str) -> None:
    warning = judge_work(evidence(0, checks=case))

    assert warning == ResultWarning(Verdict.WORK_NOT_DONE, detail)


@pytest.mark.parametrize("case", WORK_DONE.values(), ids=WORK_DONE)
def test_calls_that_match_the_requests(case: ResponseChecks) -> None:
    assert judge_work(evidence(0, checks=case)) is None


def peer(cpu_seconds: float, answered: int = 10_000, cpu_us: int = 3) -> AnswerEvidence:
    """Return the evidence about a gateway with a peer that used this CPU time."""
    return evidence(
        0,
        checks=checks(answered=answered),
        peer_cpu_seconds={"hello": cpu_seconds},
        peer_cpu_us=cpu_us,
    )


def test_a_peer_that_did_nothing_for_its_calls() -> None:
    assert judge_work(peer(0.004)) == ResultWarning(
        Verdict.WORK_NOT_DONE,
        "Hello used 0.004 s of CPU time for 10,000 requests, but needs at least 3 µs for each.",
    )


@pytest.mark.parametrize(
    "case",
    [peer(0.031), peer(0.0, answered=6_000), peer(0.0, cpu_us=0)],
    ids=["a peer that worked", "too few requests to tell", "a scenario without a least CPU time"],
)
def test_peers_that_did_their_work(case: AnswerEvidence) -> None:
    assert judge_work(case) is None


WRONG_ANSWERS = {
    "one wrong response": (
        checks(wrong=1, first_wrong=_FIRST),
        "1 of 10,000 requests got a wrong response. "
        "First: “GET /hello?nonce=0123456789abcdef” – expected “Hello World!”, got “Hello”.",
    ),
    "only a wrong status": (
        checks(answered=0, wrong=10_000),
        "10,000 of 10,000 requests got a wrong response.",
    ),
    "controls": (
        checks(controls_wrong=2),
        "2 of 10 requests that the service must refuse got another response.",
    ),
    "bunched streams": (
        checks(bunched=1_001),
        "In 1,001 of 10,000 streams the items arrived together instead of one after the other.",
    ),
    "a long response": (
        checks(wrong=1, first_wrong=WrongAnswer(request="GET /", expected="a", got="b" * 200)),
        f"got “{'b' * 120}…”.",
    ),
}


@pytest.mark.parametrize(("case", "detail"), WRONG_ANSWERS.values(), ids=WRONG_ANSWERS)
def test_wrong_answers(case: ResponseChecks, detail: str) -> None:
    warning = judge_wrong_answers(evidence(0, checks=case))

    assert warning is not None
    assert warning.verdict is Verdict.WRONG_ANSWERS
    assert warning.detail.endswith(detail)


@pytest.mark.parametrize("case", [checks(answered=5_000), checks(bunched=1_000)])
def test_right_answers(case: ResponseChecks) -> None:
    assert judge_wrong_answers(evidence(0, checks=case)) is None


def test_bunched_streams_of_a_service_with_a_full_cpu() -> None:
    bunched = evidence(0, checks=checks(bunched=1_001), has_full_cpu=True)
    wrong_too = evidence(0, checks=checks(bunched=1_001, wrong=1), has_full_cpu=True)

    (warning,) = judge_answers(bunched)
    verdicts = [warning.verdict for warning in judge_answers(wrong_too)]

    assert warning.verdict is Verdict.STREAMS_BUNCHED
    assert warning.detail.endswith("The service used all its CPU.")
    assert verdicts == [Verdict.WRONG_ANSWERS, Verdict.STREAMS_BUNCHED]
    assert judge_answers(evidence(0, checks=checks(bunched=1_000), has_full_cpu=True)) == []


TOO_FAST = {
    "cached for 0.11 %": (
        evidence(1000, times_from_send=histogram_of([0.75] * 11 + [1000.5] * 9_989)),
        "11 of 10,000 responses came before the 1,000 ms that the scenario makes each request "
        "wait, the fastest after 0.752 ms.",
    ),
    "all too early": (
        evidence(1000, times_from_send=histogram_of([985.0] * 10)),
        "10 of 10 responses came",
    ),
    "a short wait": (
        evidence(20, times_from_send=histogram_of([17.0] * 10)),
        "10 of 10 responses came",
    ),
}


@pytest.mark.parametrize(("case", "detail"), TOO_FAST.values(), ids=TOO_FAST)
def test_faster_than_the_wait(case: AnswerEvidence, detail: str) -> None:
    warning = judge_speed(case)

    assert warning is not None
    assert warning.verdict is Verdict.FASTER_THAN_POSSIBLE
    assert detail in warning.detail


@pytest.mark.parametrize(
    "case",
    [
        evidence(0, times_from_send=histogram_of([0.2] * 10)),
        evidence(1000),
        evidence(1000, times_from_send=histogram_of([0.75] * 10 + [1000.5] * 9_990)),
        *(
            evidence(wait_ms, times_from_send=histogram_of([wait_ms + 0.01] * 1000))
            for wait_ms in (20, 50, 100, 255, 500, 1000, 2047, 4000, 8000, 10_000)
        ),
    ],
)
def test_not_faster_than_the_wait(case: AnswerEvidence) -> None:
    assert judge_speed(case) is None


def test_checks_that_fail_after_the_load() -> None:
    assert judge_behaviour(evidence(0)) is None
    assert judge_behaviour(evidence(0, after=[check(True), check(True)])) is None
    found = judge_behaviour(evidence(0, after=[check(True), check(False)]))

    assert found == ResultWarning(
        Verdict.BEHAVIOUR_CHANGED,
        "1 of 2 checks failed after the load: GET / answers 200 (expected “200”, got “204”).",
    )


def test_many_checks_that_fail_after_the_load_are_counted() -> None:
    warning = judge_behaviour(
        evidence(0, after=[check(False, f"check {number}") for number in range(5)])
    )

    assert warning is not None
    assert "check 2 (" in warning.detail
    assert "check 3 (" not in warning.detail
    assert warning.detail.endswith("; and 2 more.")


@pytest.mark.parametrize(
    ("has_answered", "was_overloaded", "is_accused"),
    [(True, True, True), (True, False, True), (False, False, True), (False, True, False)],
)
def test_a_service_may_be_silent_after_an_overload(
    has_answered: bool, was_overloaded: bool, is_accused: bool
) -> None:
    silent = evidence(
        0, after=[check(False)], has_answered_after=has_answered, was_overloaded=was_overloaded
    )

    assert (judge_behaviour(silent) is not None) == is_accused


def test_the_most_severe_verdict_comes_first() -> None:
    cheating = evidence(
        1000,
        checks=checks(wrong=1, first_wrong=_FIRST, counts=calls(0)),
        after=[check(False)],
        times_from_send=histogram_of([0.7] * 10),
    )

    verdicts = [warning.verdict for warning in judge_answers(cheating)]

    assert verdicts == [
        Verdict.WORK_NOT_DONE,
        Verdict.WRONG_ANSWERS,
        Verdict.FASTER_THAN_POSSIBLE,
        Verdict.BEHAVIOUR_CHANGED,
    ]
