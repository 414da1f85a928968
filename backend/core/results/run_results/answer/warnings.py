"""The warnings of a run in short: shared ones once, the most severe first; pure."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from backend.core.measurement.measurements.verdicts import EXCLUDING
from backend.core.models import Run
from backend.core.numbers import agree, count_of, join_words
from backend.core.results.cell_result import RunCellResult
from backend.core.results.run_results.answer.model import AnswerWarning
from backend.core.runs.status import TRIAL_ENDS
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import Verdict

# Sentences about warnings that do not exclude a result.
# Further warnings are only in the list.
_MOST_WARNINGS = 2
_WORDS = {
    Verdict.SERVICE_SATURATED: "The CPU of the service was full at a fixed rate in {subject}: CPU "
    "per request is only a lower bound.",
    Verdict.STREAMS_BUNCHED: "The CPU of the service was full in {subject}, and items of a stream "
    "arrived together.",
    Verdict.HOST_DISTURBED: "The host disturbed trials of {subject}, so their intervals are wider.",
    Verdict.SPEED_VARIED: "Loads of {subject} changed in no common direction, which points to the "
    "host.",
    Verdict.HOST_BUSY: "Other programs used the host while {subject} {were} measured.",
    Verdict.PARTLY_CHECKED: "CPU times of {subject} are missing, so some checks were not made.",
}


def list_warnings(
    run: Run, cells: Sequence[RunCellResult], labels: Mapping[UUID, str]
) -> list[AnswerWarning]:
    """Return the warnings about an ended run.

    Args:
        labels: name of each result by the id of its cell, unique in the run.
    """
    excluded = [cell for cell in cells if cell.summary.excluded]
    missing = [cell for cell in cells if not cell.summary.trials_succeeded]
    others = [cell for cell in cells if cell not in excluded and cell not in missing]
    found = [
        *_warn_of_cancellation(run),
        *_warn_of_excluded(excluded, len(cells), labels),
        *_warn_of_missing(missing, len(cells), labels),
        *_warn_of_failed([cell for cell in cells if cell not in missing], labels),
    ]
    for verdict in Verdict:
        if verdict is not Verdict.OK and verdict not in EXCLUDING:
            found += _warn_of_verdict(verdict, others, len(cells), labels)
    return found


def shorten(warnings: Sequence[AnswerWarning]) -> str | None:
    """Return the most severe warnings in one text; None without any."""
    return " ".join(warning.summary for warning in warnings[:_MOST_WARNINGS]) or None


def _warn_of_cancellation(run: Run) -> list[AnswerWarning]:
    if run.status != RunStatus.CANCELLED:
        return []
    done = sum(
        trial.status in TRIAL_ENDS and trial.status != TrialStatus.CANCELLED for trial in run.trials
    )
    trials = count_of(len(run.trials), "trial")
    return [_warn(f"The run was cancelled after {done} of {trials}.")]


def _warn_of_excluded(
    excluded: Sequence[RunCellResult], total: int, labels: Mapping[UUID, str]
) -> list[AnswerWarning]:
    if not excluded:
        return []
    reasons = [find_exclusion(cell) for cell in excluded]
    words = join_words([verdict.words for verdict in Verdict if verdict in reasons])
    verb = agree(len(excluded), "is", "are")
    return [
        _warn(
            f"{_count(len(excluded), total)} {verb} excluded: {words}.",
            [labels[cell.cell.id] for cell in excluded],
            [
                f"{labels[cell.cell.id]}: {_detail_of(cell, verdict)}"
                for cell, verdict in zip(excluded, reasons, strict=True)
            ],
        )
    ]


def find_exclusion(cell: RunCellResult) -> Verdict | None:
    """Return the most severe verdict that excludes a result from ranking."""
    return next((verdict for verdict in cell.verdicts if verdict in EXCLUDING), None)


def _warn_of_missing(
    missing: Sequence[RunCellResult], total: int, labels: Mapping[UUID, str]
) -> list[AnswerWarning]:
    if not missing:
        return []
    verb = agree(len(missing), "is", "are")
    has_failed = all(cell.summary.trials_failed for cell in missing)
    reason = "every trial failed" if has_failed else "no trial succeeded"
    return [
        _warn(
            f"{_count(len(missing), total)} {verb} missing: {reason}.",
            [labels[cell.cell.id] for cell in missing],
            [
                f"{labels[cell.cell.id]}: {detail}"
                for cell in missing
                if (detail := find_failure(cell))
            ],
        )
    ]


def find_failure(cell: RunCellResult) -> str | None:
    """Return why the first failed trial of a result failed."""
    return next((trial.failure.detail for trial in cell.trials if trial.failure), None)


def _warn_of_failed(
    cells: Sequence[RunCellResult], labels: Mapping[UUID, str]
) -> list[AnswerWarning]:
    failed = [cell for cell in cells if cell.summary.trials_failed]
    if not failed:
        return []
    count = sum(cell.summary.trials_failed for cell in failed)
    names = [labels[cell.cell.id] for cell in failed]
    whose = join_words(names) if len(names) <= 2 else f"{len(names)} results"
    return [
        _warn(
            f"{count_of(count, 'trial')} of {whose} failed.",
            names,
            [f"{labels[cell.cell.id]}: {find_failure(cell)}" for cell in failed],
        )
    ]


def _warn_of_verdict(
    verdict: Verdict, others: Sequence[RunCellResult], total: int, labels: Mapping[UUID, str]
) -> list[AnswerWarning]:
    affected = [cell for cell in others if verdict in cell.verdicts]
    if not affected:
        return []
    subject = _count(len(affected), total)
    if len(affected) == len(others):
        subject = "All results" if len(others) == total else "All other results"
        if len(others) == 1:
            subject = "The result" if total == 1 else "The other result"
    if verdict is Verdict.TOO_FEW_TRIALS:
        summary = f"{subject} {agree(len(affected), 'has', 'have')} {_few(affected)}."
        return [_warn(summary, [labels[cell.cell.id] for cell in affected])]
    words = _WORDS[verdict]
    begin = words.startswith("{")
    summary = words.format(
        subject=subject if begin else subject[0].lower() + subject[1:],
        were=agree(len(affected), "was", "were"),
    )
    return [
        _warn(
            summary,
            [labels[cell.cell.id] for cell in affected],
            [f"{labels[cell.cell.id]}: {_detail_of(cell, verdict)}" for cell in affected],
        )
    ]


def _warn(summary: str, results: Sequence[str] = (), details: Sequence[str] = ()) -> AnswerWarning:
    return AnswerWarning(summary=summary, results=list(results), details=list(details))


def _few(cells: Sequence[RunCellResult]) -> str:
    counts = sorted({cell.summary.trials_succeeded for cell in cells})
    most = count_of(counts[-1], "trial")
    return f"only {most}" if len(counts) == 1 else f"only {counts[0]} to {most}"


def _detail_of(cell: RunCellResult, verdict: Verdict | None) -> str:
    return next(
        (warning["detail"] for warning in cell.summary.verdicts if warning["verdict"] == verdict),
        "excluded from ranking",
    )


def _count(number: int, total: int) -> str:
    return "The only result" if total == 1 else f"{number} of {total} results"
