"""The answer of a run of several scenarios or loads: one line each; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.measurement.statistics.comparison import PairState
from backend.core.numbers import agree, count_of, join_choices, join_words
from backend.core.results.ranking.headline import MOST_NAMED, describe_best
from backend.core.results.ranking.metric_words import lower_title, name_best
from backend.core.results.ranking.sentence import are_equivalent
from backend.core.results.run_results.answer.group import GroupAnswer
from backend.core.results.run_results.answer.headline import (
    NO_RESULT,
    describe_line,
    list_next,
)
from backend.core.results.run_results.answer.model import AnswerLine, make_line
from backend.core.results.run_results.answer.steps import describe_steps_line
from backend.core.results.run_results.answer.sweep import SweepAnswer, answer_sweep
from backend.core.results.run_results.groups import ResultBlock
from backend.core.units import METRICS, MetricInfo, ProfileKind

# This many are called `both`.
_BOTH = 2
# More places of one framework are counted.
_MOST_LABELS = 2


@dataclass(frozen=True)
class BlockAnswer:
    """The line of a block, and the groups that it is about."""

    line: AnswerLine
    groups: Sequence[GroupAnswer]

    @property
    def is_usable(self) -> bool:
        return any(group.is_usable for group in self.groups)

    @property
    def is_contested(self) -> bool:
        """Return whether it has two usable results of the same load."""
        return any(group.is_usable and len(group.usable) > 1 for group in self.groups)

    @property
    def is_decided(self) -> bool:
        """Return whether some result is known to be better than another."""
        return any(group.is_usable and group.behind for group in self.groups)


def answer_block(block: ResultBlock, groups: Sequence[GroupAnswer], label: str) -> BlockAnswer:
    """Return the answer of a block in one line."""
    if block.parameter is not None:
        swept: SweepAnswer = answer_sweep(block, groups)
        text = f"{swept.headline}; {swept.following}." if swept.following else f"{swept.headline}."
        line = make_line(block.key, label, text, swept.leaders)
        return BlockAnswer(line, groups)
    (group,) = groups
    text = describe_line(group)
    if block.groups[0].kind is ProfileKind.STEPS:
        text = describe_steps_line(group)
    return BlockAnswer(make_line(block.key, label, text, group.leading_slugs), groups)


def make_scenarios_headline(blocks: Sequence[BlockAnswer]) -> str:
    """Return which framework leads everywhere, or which framework leads where."""
    usable = [block for block in blocks if block.is_usable]
    if not usable:
        return NO_RESULT
    names = _names(usable)
    if len(names) == 1:
        return f"Results of {next(iter(names.values()))} in {count_of(len(usable), _noun(usable))}"
    contested = [block for block in usable if block.is_contested]
    deciding = [block for block in contested if block.is_decided]
    if not contested:
        return f"No two results of the same {_noun(usable)} can be compared"
    if not deciding:
        are_alike = _are_alike(contested)
        state = PairState.EQUIVALENT if are_alike else PairState.UNDECIDED
        info = _find_metric(contested)
        by = f" in {lower_title(info.title)}" if info else ""
        everywhere = _name_everywhere(contested)
        return f"The results {'are ' * are_alike}{state.words}{by} in {everywhere}"
    leaders = _find_common_leaders(deciding)
    if leaders:
        return _describe_everywhere(contested, deciding, [names[slug] for slug in leaders])
    return _describe_places(deciding, names)


def _describe_everywhere(
    contested: Sequence[BlockAnswer], deciding: Sequence[BlockAnswer], leaders: Sequence[str]
) -> str:
    """Return what frameworks are best at that lead wherever results differ."""
    where = f"in {_name_everywhere(contested)}"
    if len(deciding) < len(contested):
        where = f"in {_name_some(deciding, contested)}"
    info = _find_metric(deciding)
    if info is None:
        titles = {group.ranking.info.title for block in deciding for group in block.groups}
        metrics = join_words([lower_title(title) for title in sorted(titles)])
        return f"{join_words(leaders)} {agree(len(leaders), 'leads', 'lead')} {where}, by {metrics}"
    groups = [group for block in deciding for group in block.groups if group.is_usable]
    return describe_best(
        leaders,
        len(_names(contested)),
        info,
        where=where,
        are_alike=_are_alike(deciding),
        is_alone=all(len(group.leaders) == len(leaders) for group in groups),
        behind=list_next(groups),
    )


def _describe_places(deciding: Sequence[BlockAnswer], names: Mapping[str, str]) -> str:
    """Return which framework leads where.

    `Least CPU per request: NestJS in Universities, Go Micro in Hello through a gateway`
    """
    info, noun = _find_metric(deciding), _noun(deciding)
    best = name_best(info) if info else "Best framework"
    by_leaders: dict[tuple[str, ...], list[str]] = {}
    for label, leaders in _list_places(deciding):
        by_leaders.setdefault(leaders, []).append(label)
    if len(by_leaders) <= MOST_NAMED and max(map(len, by_leaders.values())) <= _MOST_LABELS:
        parts = [
            f"{join_choices([names[slug] for slug in leaders])} in {join_words(labels)}"
            for leaders, labels in by_leaders.items()
        ]
        return f"{best}: {', '.join(parts)}"
    wins: dict[str, int] = {}
    for block in deciding:
        for slug in block.line.leaders:
            wins[slug] = wins.get(slug, 0) + 1
    most = sorted(wins, key=lambda slug: -wins[slug])[:MOST_NAMED]
    counts = [f"{names[slug]} in {wins[slug]}" for slug in most]
    return f"{best} depends on the {noun}: {join_words(counts)} of {len(deciding)}"


def _list_places(deciding: Sequence[BlockAnswer]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the leaders of each scenario if its loads have one in common, else of each load."""
    by_scenario: dict[str, list[BlockAnswer]] = {}
    for block in deciding:
        by_scenario.setdefault(block.groups[0].ranking.group.scenario.name, []).append(block)
    common = {name: _find_common_leaders(blocks) for name, blocks in by_scenario.items()}
    if len(common) > 1 and all(common.values()):
        return list(common.items())
    return [
        (_quote_load(block), tuple(block.line.leaders)) for block in deciding if block.line.leaders
    ]


def _find_common_leaders(blocks: Sequence[BlockAnswer]) -> tuple[str, ...]:
    """Return the frameworks that no other is better than in any of the blocks."""
    first, *others = blocks
    return tuple(
        slug for slug in first.line.leaders if all(slug in block.line.leaders for block in others)
    )


def list_scenario_sentences(blocks: Sequence[BlockAnswer]) -> list[str]:
    """Return where the results do not differ, and what is not usable."""
    usable = [block for block in blocks if block.is_usable]
    contested = [block for block in usable if block.is_contested]
    alike = [block for block in contested if not block.is_decided]
    sentences = []
    if 0 < len(alike) < len(contested):
        are_alike = _are_alike(alike)
        state = PairState.EQUIVALENT if are_alike else PairState.UNDECIDED
        where = _name_some(alike, contested)
        sentences.append(f"The results {'are ' * are_alike}{state.words} in {where}.")
    missing = [block.line.label for block in blocks if not block.is_usable]
    if missing and usable:
        sentences.append(f"No usable result for {'; '.join(missing)}.")
    return sentences


def _names(blocks: Sequence[BlockAnswer]) -> dict[str, str]:
    return {
        result.cell.framework.slug: result.name_in_sentence
        for block in blocks
        for group in block.groups
        for result, _ in group.usable
    }


def _find_metric(blocks: Sequence[BlockAnswer]) -> MetricInfo | None:
    """Return the metric of all blocks; None if they have several."""
    metrics = {group.ranking.metric for block in blocks for group in block.groups}
    return METRICS[metrics.pop()] if len(metrics) == 1 else None


def _are_alike(blocks: Sequence[BlockAnswer]) -> bool:
    """Return whether the leading results of each group are known to be equivalent."""
    return all(
        are_equivalent([ranked for _, ranked in group.leaders])
        for block in blocks
        for group in block.groups
        if group.is_usable and group.leaders
    )


def _name_some(blocks: Sequence[BlockAnswer], of: Sequence[BlockAnswer]) -> str:
    """Return the names of a few blocks, or `4 of 6 loads`."""
    if len(blocks) > _MOST_LABELS:
        return f"{len(blocks)} of {count_of(len(of), _noun(of))}"
    return join_words([_quote_load(block) for block in blocks])


def _quote_load(block: BlockAnswer) -> str:
    """Return the label of a block, in quotes if it is only the name of a load."""
    name = block.groups[0].ranking.group.scenario.name
    return block.line.label if block.line.label.startswith(name) else f"“{block.line.label}”"


def _name_everywhere(blocks: Sequence[BlockAnswer]) -> str:
    """Return `both scenarios` or `all 3 loads`."""
    noun = _noun(blocks)
    return f"both {noun}s" if len(blocks) == _BOTH else f"all {count_of(len(blocks), noun)}"


def _noun(blocks: Sequence[BlockAnswer]) -> str:
    slugs = [block.groups[0].ranking.group.scenario.slug for block in blocks]
    return "scenario" if len(set(slugs)) == len(slugs) else "load"
