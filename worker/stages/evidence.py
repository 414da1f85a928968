"""Collects what the judge of a service's answers needs, from the outputs of the stages."""

from backend.core.documents import ResponseChecks, WrongAnswer
from backend.core.measurement.measurements.answers import AnswerEvidence
from backend.core.measurement.measurements.verdicts import is_overloaded
from worker.stages.assignment import Assignment
from worker.stages.runner import StageOutputs
from worker.stages.verify import count_calls


def describe_answers(
    assignment: Assignment, outputs: StageOutputs, *, has_full_cpu: bool
) -> AnswerEvidence:
    """Return the evidence about the answers of a trial.

    Args:
        has_full_cpu: whether the service used all its CPU.
    """
    wait = outputs.materials.scenario.enforced_wait
    return AnswerEvidence(
        checks=_describe_checks(outputs),
        after=outputs.after.checks,
        has_answered_after=outputs.after.is_wrong,
        was_overloaded=is_overloaded(outputs.load.seconds, assignment.kind),
        has_full_cpu=has_full_cpu,
        times_from_send=outputs.load.times_from_send,
        wait_ms=assignment.parameters[wait] if wait else 0,
        peer_cpu_seconds=outputs.peer_cpu_seconds,
        peer_cpu_us=outputs.materials.scenario.peer_cpu_us,
    )


def _describe_checks(outputs: StageOutputs) -> ResponseChecks:
    checks = outputs.load.end.checks
    first = checks.first_wrong
    return ResponseChecks(
        sent=checks.sent,
        answered=checks.answered,
        resent=checks.resent,
        compared=checks.compared,
        wrong=checks.wrong,
        signed=checks.signed,
        bunched=checks.bunched,
        controls=checks.controls,
        controls_wrong=checks.controls_wrong,
        first_wrong=WrongAnswer(request=first.request, expected=first.expected, got=first.got)
        if first
        else None,
        counts=list(count_calls(outputs.before.calls, outputs.after.calls)),
    )
