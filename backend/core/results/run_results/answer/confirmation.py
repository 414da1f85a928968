"""The answer of a confirmation run: whether the new build differs from the old one; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.measurement.statistics.comparison import PairState
from backend.core.models import Change
from backend.core.numbers import name_in_sentence
from backend.core.results.ranking.comparison_text import describe_needed, format_comparison
from backend.core.results.ranking.metric_words import lower_title
from backend.core.results.run_results.answer.group import GroupAnswer, divide_group
from backend.core.results.run_results.answer.headline import NO_RESULT
from backend.core.results.run_results.answer.model import AnswerLine, make_line
from backend.core.results.run_results.service import RunResults
from backend.core.units import METRICS


@dataclass(frozen=True)
class ConfirmationAnswer:
    group: GroupAnswer
    headline: str
    sentences: Sequence[str]
    lines: Sequence[AnswerLine]


def answer_confirmation(results: RunResults) -> ConfirmationAnswer | None:
    """Return the comparison of both builds by the metric of the change that was tested.

    None for a run without cells.
    """
    metric = results.tested[0].metric if results.tested else None
    ranking = results.rank_group(None, metric)
    if ranking is None:
        return None
    group = divide_group(ranking)
    key = ranking.group.key
    return ConfirmationAnswer(
        group,
        _make_headline(group),
        _list_sentences(group, results.tested),
        [make_line(key, METRICS[change.metric].title, change.reason) for change in results.tested],
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
