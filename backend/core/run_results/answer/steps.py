"""The answer of a load in steps: the rate that each framework sustained, and what failed next."""

from collections.abc import Sequence

from backend.core.numbers import format_figure, format_value
from backend.core.results.loads import name_value
from backend.core.run_results.answer.group import GroupAnswer, is_usable
from backend.core.run_results.answer.headline import make_headline, show_value
from backend.core.run_results.answer.load import last_rate
from backend.core.run_results.answer.model import PartLine
from backend.core.run_results.groups import CellResult
from backend.core.units import Metric


def make_steps_headline(group: GroupAnswer) -> str:
    """Return the headline of a load in steps: `Vert.x sustains the highest rate, 900 req/s`."""
    headline = make_headline(group)
    leaders = group.leaders
    if group.ranking.metric is not Metric.SUSTAINED_RPS or not group.is_usable or not leaders:
        return headline
    if len(group.ranking.group.cells) == 1 or (not group.behind and len(leaders) > 1):
        return headline
    return f"{headline}, {show_value(leaders[0], group.ranking.info)}"


def list_step_lines(group: GroupAnswer) -> list[PartLine]:
    """Return a line for each framework, in the order of the ranking."""
    key = group.ranking.group.key
    leaders = {result.cell.id for result, _ in group.leaders} if group.is_usable else set()
    return [
        PartLine(
            key,
            result.name,
            _describe(group, result, is_excluded=bool(ranked.candidate.excluded_by))
            if result.summary.trials_succeeded
            else "No result.",
            (result.cell.framework.slug,)
            if result.cell.id in leaders and is_usable(ranked)
            else (),
        )
        for result, ranked in group.ranking.list_ranked()
    ]


def _describe(group: GroupAnswer, result: CellResult, *, is_excluded: bool) -> str:
    parameters = group.ranking.group.parameters
    percent = format_figure(parameters["success_percent"])
    limit = f"fewer than {percent} % of its requests succeeded"
    first, step, last = (
        parameters["first_rps"],
        parameters["step_rps"],
        last_rate(group.ranking.group),
    )
    rates = list(result.list_values(Metric.SUSTAINED_RPS).values())
    before = "Excluded from ranking. " if is_excluded else ""
    if not rates:
        return f"{before}Failed at the first step, {name_value('rate_rps', first)}: {limit}."
    lowest, highest = min(rates), max(rates)
    if lowest >= last:
        return f"{before}Sustained every step, up to {format_value(last, 'req/s')}."
    sustained = format_value(highest, "req/s")
    next_rate = name_value("rate_rps", round(highest) + step)
    if lowest < highest:
        sustained = f"{format_figure(lowest)} to {sustained}, depending on the trial"
    if highest >= last:
        return f"{before}Sustained {sustained}, which is the last step."
    return f"{before}Sustained {sustained}. At {next_rate}, {limit}."


def list_step_sentences(lines: Sequence[PartLine]) -> list[str]:
    """Return what the leading framework sustained, and what failed next."""
    return [f"{line.label}: {line.sentence}" for line in lines if line.leaders][:1]
