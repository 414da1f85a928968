"""Whether a run is usable, and if not, why; pure."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from backend.core.models import Run
from backend.core.numbers import agree, count_of
from backend.core.results.cell_result import RunCellResult
from backend.core.results.loads import name_value
from backend.core.results.run_results.answer.group import (
    MIN_TRIALS,
    GroupAnswer,
    Ranked,
)
from backend.core.results.run_results.answer.model import AnswerWarning
from backend.core.results.run_results.answer.warnings import find_exclusion, find_failure
from backend.core.statuses import RunOutcome, RunStatus
from backend.core.units import Metric, ProfileKind, Verdict

# The rate that is sent may be so much lower than the target before it counts as missed.
MIN_ACHIEVED = 0.98
# With these verdicts, a result may not have received its rate.
MISSED = frozenset({Verdict.GENERATOR_SATURATED, Verdict.RATE_MISSED})


class Cause(StrEnum):
    """Why a result is not usable. The most severe come first."""

    FAILED = "failed"
    EXCLUDED = "excluded"
    WITHOUT_VALUE = "without_value"
    FEW_TRIALS = "few_trials"
    CANCELLED = "cancelled"


def find_outcome(groups: Sequence[GroupAnswer], warnings: Sequence[AnswerWarning]) -> RunOutcome:
    """Return the outcome of a comparison or confirmation run that has ended."""
    if not any(group.is_usable for group in groups):
        return RunOutcome.NOT_USABLE
    if warnings or not all(group.is_usable for group in groups):
        return RunOutcome.USABLE_WITH_WARNINGS
    return RunOutcome.USABLE


def list_blockers(groups: Sequence[GroupAnswer]) -> list[Ranked]:
    """Return the results that are not usable, in groups that are not."""
    return [item for group in groups if not group.is_usable for item in group.others]


def find_cause(item: Ranked, status: RunStatus) -> Cause:
    """Return why a result is not usable."""
    result, ranked = item
    summary = result.summary
    if not summary.trials_succeeded:
        return Cause.FAILED if summary.trials_failed else Cause.CANCELLED
    if summary.excluded or ranked.candidate.excluded_by:
        return Cause.EXCLUDED
    if ranked.candidate.estimate is None:
        return Cause.WITHOUT_VALUE
    return Cause.CANCELLED if status == RunStatus.CANCELLED else Cause.FEW_TRIALS


def find_main_cause(blockers: Sequence[Ranked], status: RunStatus) -> Cause:
    """Return the most frequent cause; of equally frequent causes the most severe."""
    counts = Counter(find_cause(item, status) for item in blockers)
    return max(Cause, key=lambda cause: counts[cause])


def explain(groups: Sequence[GroupAnswer], run: Run) -> str:
    """Return in one sentence why a run is not usable."""
    blockers = list_blockers(groups)
    usable = [item for group in groups for item in group.usable]
    cause = find_main_cause(blockers, run.status)
    of_cause = [item for item in blockers if find_cause(item, run.status) is cause]
    return {
        Cause.FAILED: _explain_failure,
        Cause.EXCLUDED: _explain_exclusion,
        Cause.WITHOUT_VALUE: _explain_without_value,
        Cause.FEW_TRIALS: _explain_few,
        Cause.CANCELLED: _explain_cancellation,
    }[cause](of_cause, len(blockers) + len(usable))


def _explain_failure(items: Sequence[Ranked], total: int) -> str:
    details = [detail for result, _ in items if (detail := find_failure(result))]
    why = f": {details[0].rstrip('.')}" if details else ""
    return f"Every trial of {_count(items, total)} failed{why}."


def _explain_exclusion(items: Sequence[Ranked], total: int) -> str:
    missed = list_missed_rates([result for result, _ in items])
    if len(missed) == len(items):
        slowest = min(missed, key=lambda found: found[1] / found[2])
        name, achieved, target = slowest
        return (
            f"{_subject(items, total)} missed the target rate: {name} answered "
            f"{name_value('rate_rps', round(achieved))} of {name_value('rate_rps', target)}."
        )
    verdicts = {find_exclusion(result) for result, _ in items}
    words = [verdict.words for verdict in Verdict if verdict in verdicts]
    reasons = ", ".join(words or [" ".join(items[0][1].candidate.excluded_by)])
    verb = agree(len(items), "is", "are")
    return f"{_subject(items, total)} {verb} excluded from ranking: {reasons}."


def list_missed_rates(results: Sequence[RunCellResult]) -> list[tuple[str, float, int]]:
    """Return name, achieved and target rate of the results that missed a fixed rate."""
    missed = []
    for result in results:
        achieved = result.estimates.get(Metric.THROUGHPUT_RPS)
        if find_exclusion(result) not in MISSED or achieved is None:
            continue
        if result.kind is not ProfileKind.RATE:
            continue
        target = result.cell.parameters["rate_rps"]
        if achieved.estimate < MIN_ACHIEVED * target:
            missed.append((result.name_in_sentence, achieved.estimate, target))
    return missed


def _explain_without_value(items: Sequence[Ranked], total: int) -> str:
    steps = [
        result.cell.parameters["first_rps"]
        for result, _ in items
        if result.kind is ProfileKind.STEPS
    ]
    if len(steps) == len(items):
        return (
            f"{_subject(items, total)} did not sustain the first step, "
            f"{name_value('rate_rps', max(steps))}."
        )
    verb = agree(len(items), "has", "have")
    return f"{_subject(items, total)} {verb} no value of the main metric."


def _explain_few(items: Sequence[Ranked], total: int) -> str:
    most = max(result.summary.trials_succeeded for result, _ in items)
    found = f"{agree(len(items), 'has', 'have')} only {count_of(most, 'trial')}"
    return f"{_subject(items, total)} {found}; at least {MIN_TRIALS} are needed."


def _explain_cancellation(items: Sequence[Ranked], total: int) -> str:
    return (
        f"The run was cancelled before {_count(items, total)} had {MIN_TRIALS} trials."
        if total > 1
        else f"The run was cancelled before its result had {MIN_TRIALS} trials."
    )


def _subject(items: Sequence[Ranked], total: int) -> str:
    text = _count(items, total)
    return text[0].upper() + text[1:]


def _count(items: Sequence[Ranked], total: int) -> str:
    """Return the name of a single result, `all 4 results` or `3 of 4 results`."""
    if len(items) == 1:
        return items[0][0].name_in_sentence
    if len(items) == total:
        return "both results" if total == 2 else f"all {total} results"
    return f"{len(items)} of {total} results"


def lower_start(text: str) -> str:
    """Return a sentence for the middle of another; names keep their capital."""
    begins = ("Every ", "All ", "Both ", "The ", "Only ")
    return text[0].lower() + text[1:] if text.startswith(begins) else text
