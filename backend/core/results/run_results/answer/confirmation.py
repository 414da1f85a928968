"""The answer of a confirmation run: whether the new build differs from the old one; pure."""

from collections.abc import Sequence

from backend.core.measurement.statistics.comparison import PairState
from backend.core.models import Change
from backend.core.numbers import name_in_sentence
from backend.core.results.ranking.comparison_text import describe_needed, format_comparison
from backend.core.results.ranking.metric_words import lower_title
from backend.core.results.run_results.answer.group import GroupAnswer, divide_group
from backend.core.results.run_results.answer.headline import NO_RESULT
from backend.core.results.run_results.answer.model import (
    AnswerKind,
    AnswerWarning,
    RunAnswer,
    make_line,
)
from backend.core.results.run_results.answer.outcome import explain, find_outcome
from backend.core.results.run_results.answer.rows import list_rows
from backend.core.results.run_results.answer.warnings import shorten
from backend.core.results.run_results.service import RunResults
from backend.core.statuses import RunOutcome
from backend.core.units import METRICS


def answer_confirmation(
    results: RunResults, facts: Sequence[str], warnings: Sequence[AnswerWarning]
) -> RunAnswer:
    """Return the comparison of both builds by the metric of the change that was tested."""
    metric = results.tested[0].metric if results.tested else None
    ranking = results.rank_group(None, metric)
    assert ranking is not None  # The run has cells.
    group, key = divide_group(ranking), ranking.group.key
    headline, outcome = _make_headline(group), find_outcome([group], warnings)
    is_usable = outcome is not RunOutcome.NOT_USABLE
    return RunAnswer(
        kind=AnswerKind.CONFIRMATION,
        headline=headline,
        facts=facts,
        sentences=_list_sentences(group, results.tested),
        outcome=outcome,
        summary=headline,
        reason=shorten(warnings) if is_usable else explain([group], results.run),
        warnings=warnings,
        group=key,
        metric=ranking.metric,
        rows=list_rows(ranking),
        lines=[
            make_line(key, METRICS[change.metric].title, change.reason) for change in results.tested
        ],
    )


def _make_headline(group: GroupAnswer) -> str:
    if not group.is_usable:
        return NO_RESULT
    name = name_in_sentence(group.ranking.group.cells[-1].cell.framework.name)
    title = lower_title(group.ranking.info.title)
    new = group.ranking.ranking.candidates[-1]
    if new.state is PairState.EQUIVALENT:
        return f"Both builds of {name} are equivalent in {title}"
    if new.state is PairState.DIFFERENCE and new.ratio is not None:
        side = "higher" if new.ratio.comparison.is_more else "lower"
        return f"The new build of {name} has a {side} {title}"
    return f"Both builds of {name} {PairState.UNDECIDED.words} in {title}"


def _list_sentences(group: GroupAnswer, tested: Sequence[Change]) -> list[str]:
    sentences = []
    new = group.ranking.ranking.candidates[-1]
    if group.is_usable and new.ratio is not None:
        ratio = format_comparison(new.ratio.comparison)
        title = lower_title(group.ranking.info.title)
        sentences.append(
            f"In {new.ratio.n} pairs of trials, the new build has {ratio} the {title} of the old."
        )
        if new.state is PairState.UNDECIDED:
            needed = describe_needed(new.ratio)
            sentences.append(f"{needed[0].upper()}{needed[1:]}.")
    if tested:
        sentences.append(f"Status of the change: {tested[0].status.words}.")
    return sentences
