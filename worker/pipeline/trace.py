"""The spans of a trial: its wait in the queue, and its stages. Pure."""

from collections.abc import Mapping
from itertools import accumulate, pairwise

from backend.core.tracing import FinishedSpan
from worker.stages.assignment import Assignment

_NS = 1_000_000_000


def list_spans(
    assignment: Assignment,
    begin_ns: int,
    stage_seconds: Mapping[str, float],
    result: str,
    error: str | None = None,
) -> list[FinishedSpan]:
    """Return the spans of an attempt at a trial: `queue`, and `trial` with a span for each stage.

    Only the first attempt waited since the request, and only a request with a trace has a wait to
    show.

    Args:
        assignment: of the trial.
        begin_ns: when the worker claimed the trial, since 1970.
        stage_seconds: duration of each stage, in their order.
        result: how the attempt ended.
        error: why it failed; None if it did not.
    """
    ids: dict[str, str | int] = {
        "tacho.run_id": str(assignment.run_id),
        "tacho.trial_id": str(assignment.trial_id),
    }
    about: dict[str, str | int] = {
        **ids,
        "tacho.attempt": assignment.attempt,
        "tacho.framework": assignment.framework,
        "tacho.scenario": assignment.scenario,
        "tacho.repetition": assignment.repetition,
        "tacho.result": result,
    }
    ends = accumulate(stage_seconds.values(), initial=0.0)
    bounds = [begin_ns + round(seconds * _NS) for seconds in ends]
    stages = [
        FinishedSpan(name, begin, end, ids)
        for name, (begin, end) in zip(stage_seconds, pairwise(bounds), strict=True)
    ]
    trial = FinishedSpan("trial", begin_ns, bounds[-1], about, error, stages)
    if assignment.traceparent is None or assignment.queued_at is None or assignment.attempt > 1:
        return [trial]
    # The clocks of API and bench host may differ.
    queued_ns = min(round(assignment.queued_at.timestamp() * _NS), begin_ns)
    return [FinishedSpan("queue", queued_ns, begin_ns, ids), trial]
