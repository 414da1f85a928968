"""Verdicts about the work of a service: whether it answered rightly and did what it must."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from backend.core.documents import CallCount, ConformanceCheck, ResponseChecks
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.verdicts import ResultWarning
from backend.core.units import Verdict

_CALL_TOLERANCE = Fraction(1, 1000)
# The client of an honest service may repeat a call whose connection was closed.
_REPEATED_CALLS = Fraction(2)
# Without control groups, CPU time is counted in steps of 10 ms.
_LEAST_CPU_SECONDS = 0.02
_MAX_BUNCHED = 0.1
_MAX_EARLY = 0.001
# The clocks of two processes may differ in their last digit.
_EARLY_MS = 2.0
_SHOWN_CHARACTERS = 120
_SHOWN_CHECKS = 3


@dataclass(frozen=True)
class AnswerEvidence:
    """The evidence about the answers of a trial.

    Attributes:
        after: the checks of the contract that ran after the load.
        has_answered_after: whether one of them failed although the service had answered.
        was_overloaded: whether the load sent more than the service could answer. Then it may still
            be busy with old requests after the load.
        has_full_cpu: whether the service used all its CPU. Then it cannot send each item in time.
        times_from_send: how long responses took in the measured seconds (ns). A latency from the
            moment when a request was due would hide an early response to a late request.
        wait_ms: how long the scenario makes each request wait; 0 if it does not.
        peer_cpu_seconds: CPU time of each peer under the whole load, by its name.
        peer_cpu_us: the least CPU time that a peer needs for a call; 0 if that is not known.
    """

    checks: ResponseChecks
    after: Sequence[ConformanceCheck]
    has_answered_after: bool
    was_overloaded: bool
    has_full_cpu: bool
    times_from_send: Histogram
    wait_ms: float
    peer_cpu_seconds: Mapping[str, float] = field(default_factory=dict)
    peer_cpu_us: int = 0


def judge_answers(evidence: AnswerEvidence) -> list[ResultWarning]:
    """Return all warnings about the answers of a trial, the most severe first."""
    warnings = (
        judge_work(evidence),
        judge_wrong_answers(evidence),
        judge_speed(evidence),
        judge_behaviour(evidence),
        judge_late_items(evidence),
    )
    return [warning for warning in warnings if warning is not None]


def judge_work(evidence: AnswerEvidence) -> ResultWarning | None:
    """Return a warning if a backing service or a peer did not do the work of each request."""
    described = [*_find_wrong_counts(evidence.checks), *_find_idle_peers(evidence)]
    return ResultWarning(Verdict.WORK_NOT_DONE, " ".join(described)) if described else None


def _find_wrong_counts(checks: ResponseChecks) -> list[str]:
    """Return a sentence for each count of calls that is too low, too high or missing.

    Each answered request needs a call. A request that was sent but not answered may have caused a
    call, and so may each repetition of a request.
    """
    least = checks["answered"] * (1 - _CALL_TOLERANCE)
    sent = checks["sent"] + checks["resent"]
    most = sent + max(sent * _CALL_TOLERANCE, _REPEATED_CALLS)
    wrong = [
        count
        for count in checks["counts"]
        if (least > 0 if count["calls"] is None else not least <= count["calls"] <= most)
    ]
    return [_describe_calls(count, checks) for count in wrong]


def _find_idle_peers(evidence: AnswerEvidence) -> list[str]:
    """Return a sentence for each peer that used too little CPU time for its calls.

    A gateway whose peer gave it the peer's secrets can sign all answers alone, with right counts.
    """
    answered = evidence.checks["answered"]
    least_seconds = answered * evidence.peer_cpu_us / 1e6
    if least_seconds < _LEAST_CPU_SECONDS:
        return []
    return [
        f"{name.capitalize()} used {seconds:.3f} s of CPU time for {answered:,} requests, "
        f"but needs at least {evidence.peer_cpu_us} µs for each."
        for name, seconds in evidence.peer_cpu_seconds.items()
        if seconds < least_seconds
    ]


def _describe_calls(count: CallCount, checks: ResponseChecks) -> str:
    if count["calls"] is None:
        return (
            f"{count['name'].capitalize()}: the number could not be read after the load, so it "
            f"cannot be compared with the {checks['answered']:,} requests that were answered."
        )
    if count["calls"] < checks["answered"]:
        needed = f"but {checks['answered']:,} requests were answered"
    else:
        needed = f"but only {checks['sent'] + checks['resent']:,} requests were sent"
    return f"{count['name'].capitalize()}: {count['calls']:,}, {needed}."


def judge_wrong_answers(evidence: AnswerEvidence) -> ResultWarning | None:
    """Return a warning if a response was wrong, or if too many streams arrived bunched.

    A control request that the service did not refuse counts as a wrong response too. Bunched
    streams of a service whose CPU was full do not count; see `judge_late_items`.
    """
    checks, reasons = evidence.checks, []
    if checks["wrong"]:
        wrong, sent = checks["wrong"], checks["sent"]
        reasons.append(f"{wrong:,} of {sent:,} requests got a wrong response.")
    if checks["controls_wrong"]:
        reasons.append(
            f"{checks['controls_wrong']:,} of {checks['controls']:,} requests that the service "
            "must refuse got another response."
        )
    if _is_bunched(checks) and not evidence.has_full_cpu:
        reasons.append(_describe_bunched(checks))
    if not reasons:
        return None
    if (first := checks["first_wrong"]) is not None:
        expected, got = _shorten(first["expected"]), _shorten(first["got"])
        reasons.append(f"First: {_shorten(first['request'])} – expected {expected}, got {got}.")
    return ResultWarning(Verdict.WRONG_ANSWERS, " ".join(reasons))


def judge_late_items(evidence: AnswerEvidence) -> ResultWarning | None:
    """Return a warning if streams arrived bunched while the service used all its CPU.

    Items that wait for the CPU are sent together, whatever the service does.
    """
    if not _is_bunched(evidence.checks) or not evidence.has_full_cpu:
        return None
    detail = f"{_describe_bunched(evidence.checks)} The service used all its CPU."
    return ResultWarning(Verdict.STREAMS_BUNCHED, detail)


def _is_bunched(checks: ResponseChecks) -> bool:
    return checks["bunched"] > _MAX_BUNCHED * checks["answered"]


def _describe_bunched(checks: ResponseChecks) -> str:
    return (
        f"In {checks['bunched']:,} of {checks['answered']:,} streams the items arrived together "
        "instead of one after the other."
    )


def judge_speed(evidence: AnswerEvidence) -> ResultWarning | None:
    """Return a warning if responses came sooner than the scenario allows.

    The 0.1 % quantile of the times must not be below the wait. A time counts as early only if
    its whole bucket of the histogram, which is 0.8 % wide, is below the limit. The first byte is
    not judged, because some servers send the header at once. The load generator checks each item
    of a stream.
    """
    times, wait_ms = evidence.times_from_send, evidence.wait_ms
    early = times.count_below((wait_ms - _EARLY_MS) * 1e6)
    if early <= _MAX_EARLY * times.count:
        return None
    fastest_ms = times.percentile(0) / 1e6
    return ResultWarning(
        Verdict.FASTER_THAN_POSSIBLE,
        f"{early:,} of {times.count:,} responses came before the {wait_ms:,.0f} ms that the "
        f"scenario makes each request wait, the fastest after {fastest_ms:.3g} ms.",
    )


def judge_behaviour(evidence: AnswerEvidence) -> ResultWarning | None:
    """Return a warning if checks failed after the load. All of them had passed before it.

    Silence of a service that was overloaded is not a change of behaviour.
    """
    after = evidence.after
    failed = [check for check in after if not check["passed"]]
    if not failed or (evidence.was_overloaded and not evidence.has_answered_after):
        return None
    shown = "; ".join(
        f"{check['name']} (expected {_shorten(check['expected'])}, got {_shorten(check['got'])})"
        for check in failed[:_SHOWN_CHECKS]
    )
    more = f"; and {len(failed) - _SHOWN_CHECKS} more" if len(failed) > _SHOWN_CHECKS else ""
    return ResultWarning(
        Verdict.BEHAVIOUR_CHANGED,
        f"{len(failed)} of {len(after)} checks failed after the load: {shown}{more}.",
    )


def _shorten(text: str) -> str:
    """Return a text in quotation marks, cut if it is long."""
    cut = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
    return f"“{cut}”"
