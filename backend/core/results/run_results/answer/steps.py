"""The answer of a load in steps: the rate that each framework sustained, and what failed next."""

from collections.abc import Sequence

from backend.core.measurement.statistics.rates import RateBounds, describe_proof, find_last_rate
from backend.core.numbers import format_figure, format_value, join_words
from backend.core.results.cell_result import RunCellResult
from backend.core.results.loads import name_value
from backend.core.results.ranking.headline import MOST_NAMED, describe_best
from backend.core.results.ranking.sentence import are_equivalent
from backend.core.results.run_results.answer.group import GroupAnswer, is_usable, list_names
from backend.core.results.run_results.answer.headline import (
    make_headline,
    show_value,
)
from backend.core.results.run_results.answer.model import AnswerLine
from backend.core.units import Metric


def make_steps_headline(group: GroupAnswer) -> str:
    """Return the headline of a load in steps.

    `Vert.x sustains the highest rate, 900 req/s, against 500 req/s of Node.js`
    """
    headline, leaders, info = make_headline(group), group.leaders, group.ranking.info
    if group.ranking.metric is not Metric.SUSTAINED_RPS or not group.is_usable or not leaders:
        return headline
    if len(group.ranking.group.cells) == 1 or (not group.behind and len(leaders) > 1):
        return headline
    names, total = list_names(leaders), len(group.usable)
    are_alike = are_equivalent([ranked for _, ranked in leaders])
    begin = describe_best(names, total, info, are_alike=are_alike)
    text = f"{begin}, {show_value(leaders[0], info)}"
    if not group.behind:
        return text
    following = group.behind[0]
    return f"{text}, against {show_value(following, info)} of {following[0].name_in_sentence}"


def describe_steps_line(group: GroupAnswer) -> str:
    """Return the headline with the limit of the load, for a run of several loads."""
    return " ".join([f"{make_steps_headline(group)}.", *_describe_last_step(group)])


def _describe_last_step(group: GroupAnswer) -> list[str]:
    """Return that no higher rate was offered, if usable results sustained the last step."""
    if not group.is_usable or not _list_unlimited(group):
        return []
    last = format_value(find_last_rate(group.ranking.group.parameters), "req/s")
    return [f"{last} was the last step; more was not offered."]


def _list_unlimited(group: GroupAnswer) -> list[str]:
    """Return the names of the usable results that sustained every step in all trials."""
    return [
        result.name_in_sentence
        for result, _ in group.usable
        if (rates := result.rates) is not None and rates.is_at_ceiling and rates.trials_agree
    ]


def list_step_lines(group: GroupAnswer) -> list[AnswerLine]:
    """Return a line for each framework, in the order of the ranking."""
    key = group.ranking.group.key
    leaders = {result.cell.id for result, _ in group.leaders} if group.is_usable else set()
    return [
        AnswerLine(
            group=key,
            label=result.name,
            sentence=_describe(group, result, is_excluded=bool(ranked.candidate.excluded_by))
            if result.summary.trials_succeeded
            else "No result.",
            leaders=[result.cell.framework.slug]
            if result.cell.id in leaders and is_usable(ranked)
            else [],
        )
        for result, ranked in group.ranking.list_ranked()
    ]


def _describe(group: GroupAnswer, result: RunCellResult, *, is_excluded: bool) -> str:
    parameters = group.ranking.group.parameters
    percent = format_figure(parameters["success_percent"])
    limit = f"fewer than {percent} % of its requests succeeded"
    rates = result.rates
    before = "Excluded from ranking. " if is_excluded else ""
    if rates is None:
        first = name_value("rate_rps", parameters["first_rps"])
        return f"{before}Failed at the first step, {first}: {limit}."
    return f"{before}{_describe_rates(rates, limit)}"


def _describe_rates(rates: RateBounds, limit: str) -> str:
    highest = max(rates.rates)
    sustained = format_value(highest, "req/s")
    if rates.is_at_ceiling and rates.trials_agree:
        return f"Sustained every step, up to {sustained}; more was not offered."
    if not rates.trials_agree:
        sustained = f"{format_figure(rates.low)} to {sustained}, depending on the trial"
    if rates.is_at_ceiling:
        return f"Sustained {sustained}, which is the last step."
    return f"Sustained {sustained}. At {name_value('rate_rps', round(rates.high))}, {limit}."


def list_step_sentences(group: GroupAnswer, lines: Sequence[AnswerLine]) -> list[str]:
    """Return what the leading framework sustained, what failed next, and what that proves.

    If several frameworks sustained every step, return their names instead.
    """
    proof = _describe_proof(group)
    unlimited = _list_unlimited(group) if group.is_usable else []
    if len(unlimited) > 1:
        names = join_words(unlimited)
        if len(unlimited) > MOST_NAMED:
            names = f"{len(unlimited)} of {len(group.usable)} results"
        return [f"{names} sustained every step.", *_describe_last_step(group), *proof]
    leading = [
        f"{line.label} {line.sentence[0].lower()}{line.sentence[1:]}"
        for line in lines
        if line.leaders
    ]
    return [*leading[:1], *proof]


def _describe_proof(group: GroupAnswer) -> list[str]:
    """Return which capacity the rate proves that the best usable result passed in all trials."""
    if not group.is_usable:
        return []
    rates = [result.rates for result, _ in group.usable]
    best = max((each for each in rates if each), key=lambda each: each.low, default=None)
    if best is None or not best.low:
        return []
    proof = describe_proof(best)
    return [f"{proof[0].upper()}{proof[1:]}."]
