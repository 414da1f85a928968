"""The answer of a run of several scenarios or loads: one line each; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.measurement.statistics.comparison import PairState
from backend.core.numbers import agree, count_of, join_words
from backend.core.results.ranking.headline import MOST_NAMED, describe_best
from backend.core.results.ranking.sentence import are_equivalent
from backend.core.results.run_results.answer.group import GroupAnswer
from backend.core.results.run_results.answer.headline import (
    NO_RESULT,
    describe_line,
)
from backend.core.results.run_results.answer.model import PartLine
from backend.core.results.run_results.answer.steps import describe_steps_line
from backend.core.results.run_results.answer.sweep import SweepAnswer, answer_sweep
from backend.core.results.run_results.groups import ResultBlock
from backend.core.units import METRICS, MetricInfo, ProfileKind

# This many are called `both`.
_BOTH = 2


@dataclass(frozen=True)
class BlockAnswer:
    """The line of a block, and the groups that it is about."""

    line: PartLine
    groups: Sequence[GroupAnswer]

    @property
    def is_usable(self) -> bool:
        return any(group.is_usable for group in self.groups)


def answer_block(block: ResultBlock, groups: Sequence[GroupAnswer], label: str) -> BlockAnswer:
    """Return the answer of a block in one line."""
    if block.parameter is not None:
        swept: SweepAnswer = answer_sweep(block, groups)
        text = f"{swept.headline}; {swept.following}." if swept.following else f"{swept.headline}."
        line = PartLine(block.key, label, text, tuple(swept.leaders))
        return BlockAnswer(line, groups)
    (group,) = groups
    text = describe_line(group)
    if block.groups[0].kind is ProfileKind.STEPS:
        text = describe_steps_line(group)
    return BlockAnswer(PartLine(block.key, label, text, tuple(group.leading_slugs)), groups)


def make_scenarios_headline(blocks: Sequence[BlockAnswer]) -> str:
    """Return which framework leads in how many scenarios."""
    usable = [block for block in blocks if block.is_usable]
    if not usable:
        return NO_RESULT
    names = _names(usable)
    noun = _noun(usable)
    if len(names) == 1:
        return f"Results of {next(iter(names.values()))} in {count_of(len(usable), noun)}"
    if not any(group.behind for block in usable for group in block.groups):
        are_alike = _are_alike(usable)
        state = PairState.EQUIVALENT if are_alike else PairState.UNDECIDED
        where = _name_everywhere(usable)
        return f"The results {'are ' * are_alike}{state.words} in {where}"
    wins = _count_wins(usable)
    return _describe_wins(usable, wins, names) if wins else f"The order differs between the {noun}s"


def _describe_wins(
    blocks: Sequence[BlockAnswer], wins: Mapping[str, int], names: Mapping[str, str]
) -> str:
    """Return which frameworks lead most often: `Node.js has rank 1 in 2 of 3 scenarios`."""
    most = max(wins.values())
    best = [slug for slug, count in wins.items() if count == most]
    shown = [names[slug] for slug in best]
    noun, everywhere = _noun(blocks), _name_everywhere(blocks)
    total = len(blocks)
    info = _find_metric(blocks)
    if most == total and info is not None:
        is_alone = _is_led_alone(blocks, best)
        where = f"in {everywhere}"
        return describe_best(
            shown,
            len(names),
            info,
            where=where,
            are_alike=_are_alike(blocks),
            is_alone=is_alone,
        )
    share = everywhere if most == total else f"{most} of {count_of(total, noun)}"
    if len(best) > MOST_NAMED:
        return f"{len(best)} frameworks share rank 1 in {share}"
    return f"{join_words(shown)} {agree(len(best), 'has', 'each have')} rank 1 in {share}"


def list_scenario_sentences(blocks: Sequence[BlockAnswer]) -> list[str]:
    """Return who leads where the most frequent leader does not, and what is not usable."""
    usable = [block for block in blocks if block.is_usable]
    names, wins = _names(usable), _count_wins(usable)
    most = max(wins.values(), default=0)
    best = {slug for slug, count in wins.items() if count == most}
    elsewhere = [
        f"{join_words([names[slug] for slug in block.line.leaders])} in {block.line.label}"
        for block in usable
        if block.line.leaders
        and not best & set(block.line.leaders)
        and len(block.line.leaders) <= MOST_NAMED
        and any(group.behind for group in block.groups)
    ]
    sentences = []
    if elsewhere and len(names) > 1:
        sentences.append(f"Elsewhere rank 1 goes to {'; '.join(elsewhere)}.")
    alike = [block for block in usable if not any(group.behind for group in block.groups)]
    if wins and alike:
        are_alike = _are_alike(alike)
        state = PairState.EQUIVALENT if are_alike else PairState.UNDECIDED
        where = f"{len(alike)} of {count_of(len(usable), _noun(usable))}"
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


def _count_wins(blocks: Sequence[BlockAnswer]) -> dict[str, int]:
    """Return the number of blocks that each framework leads, where it is better than another."""
    wins: dict[str, int] = {}
    for block in blocks:
        if any(group.behind for group in block.groups):
            for slug in block.line.leaders:
                wins[slug] = wins.get(slug, 0) + 1
    return wins


def _find_metric(blocks: Sequence[BlockAnswer]) -> MetricInfo | None:
    """Return the metric of all blocks; None if they have several."""
    metrics = {group.ranking.metric for block in blocks for group in block.groups}
    return METRICS[metrics.pop()] if len(metrics) == 1 else None


def _is_led_alone(blocks: Sequence[BlockAnswer], best: Sequence[str]) -> bool:
    """Return whether no other framework shares the lead in any block."""
    return all(
        set(group.leading_slugs) == set(best)
        for block in blocks
        for group in block.groups
        if group.is_usable
    )


def _are_alike(blocks: Sequence[BlockAnswer]) -> bool:
    """Return whether the leading results of each group are known to be equivalent."""
    return all(
        are_equivalent([ranked for _, ranked in group.leaders])
        for block in blocks
        for group in block.groups
        if group.is_usable and group.leaders
    )


def _name_everywhere(blocks: Sequence[BlockAnswer]) -> str:
    """Return `both scenarios` or `all 3 loads`."""
    noun = _noun(blocks)
    return f"both {noun}s" if len(blocks) == _BOTH else f"all {count_of(len(blocks), noun)}"


def _noun(blocks: Sequence[BlockAnswer]) -> str:
    slugs = [block.groups[0].ranking.group.scenario.slug for block in blocks]
    return "scenario" if len(set(slugs)) == len(slugs) else "load"
