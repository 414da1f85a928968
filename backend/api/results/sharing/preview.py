"""The picture of 1200 × 630 next to the link of a run or a choice in a chat or a search page."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import resvg_py

from backend.api.results.answers.views import Answer
from backend.api.results.sharing.colours import BACKGROUND, INK, MUTED
from backend.api.results.sharing.drawing import Bar, cut, draw_bars, draw_text, wrap
from backend.core.numbers import count_of, use_plain_spaces
from backend.core.results.choose.service import FrameworkChoice
from backend.core.results.loads import list_load_parts
from backend.core.results.ranking.sentence import show_estimate
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.answer.group import divide_group
from backend.core.results.run_results.answer.headline import list_sentences, make_headline
from backend.core.results.run_results.answer.load import name_load
from backend.core.results.run_results.answer.model import AnswerRow
from backend.core.results.run_results.answer.rows import list_rows
from backend.core.results.run_results.service import RunResults
from backend.core.statuses import RunOutcome
from backend.core.units import Metric

WIDTH, HEIGHT = 1200, 630
_MARGIN = 64
_FONTS = Path(__file__).parent / "fonts"
_MOST_BARS = 6
_DIAL = (
    '<g transform="translate(64 44) scale(1.25)" fill="none" stroke-width="2.6" '
    f'stroke-linecap="round"><path d="M7.5 25.5a12 12 0 1 1 17 0" stroke="{INK}"/>'
    '<path d="M16 17 22.5 9.5" stroke="#d9480f"/>'
    f'<circle cx="16" cy="17" r="2.4" fill="{INK}"/></g>'
)


def draw_preview(
    results: RunResults, group: str | None = None, metric: Metric | None = None
) -> str:
    """Return the picture as SVG: the answer in words, and the bars of a group.

    Args:
        group: key of a group; default: the main group of the answer.
        metric: default: the metric of the answer.
    """
    run = results.run
    answer = build_answer(results)
    headline, sentences, rows = answer.headline, answer.sentences, answer.rows
    ranking = results.rank_group(group or answer.group, metric or answer.metric)
    if ranking is not None and answer.outcome is not None and (group or metric):
        shown = divide_group(ranking)
        headline, sentences = make_headline(shown), list_sentences(shown)
        rows = list_rows(ranking)
    if answer.outcome is None:
        sentences = [_describe_progress(results)]
    elif answer.outcome is RunOutcome.NOT_USABLE and answer.reason:
        sentences = [answer.reason]
    bars, foot, count = [], "", ""
    if rows and ranking is not None:
        bars = list_bars(rows)
        load = f"{ranking.group.scenario.name}, {name_load(ranking.group)}"
        foot = _describe_bars(bars, ranking.info.title, load)
        if len(results.groups) > 1:
            count = f"1 of {len(results.groups)} result groups"
    return _draw(answer.facts, run.title, headline, sentences, bars, foot, count)


def draw_choice(choice: FrameworkChoice) -> str:
    """Return the picture as SVG: the recommendation, and the bars by the criterion that decided."""
    found = choice.recommendation
    decisive = (own for own in choice.columns if own.ranked.criterion is found.decided_by)
    column = next(decisive, choice.columns[0])
    info = column.ranked.info
    results = [*(entry.result for entry in column.ranked.entries), *column.excluded.values()]
    bars = [
        Bar(
            name=result.framework.name,
            colour=result.framework.colour,
            estimate=own.estimate,
            low=own.low,
            high=own.high,
            excluded=is_excluded,
            figures=f"{show_estimate(own, info.unit)}{' excluded' if is_excluded else ''}",
            is_bound=own.is_bound,
        )
        for result in results
        if (own := result.estimates.get(info.metric)) is not None
        for is_excluded in [bool(result.list_exclusions(info.metric))]
    ]
    load = ""
    if column.reference is not None:
        load = list_load_parts(column.reference.kind, column.reference.summary.parameters)[0]
    foot = _describe_bars(bars, info.title, load) if bars else ""
    facts = [choice.scenario.name, *([choice.host] if choice.host else [])]
    sentences = [*found.sentences, *found.against, *choice.missing]
    return _draw(facts, "Choose a framework", found.headline, sentences, bars, foot)


def _draw(
    facts: Sequence[str],
    title: str,
    headline: str,
    sentences: Sequence[str],
    bars: Sequence[Bar],
    foot: str,
    count: str = "",
) -> str:
    room = WIDTH - 2 * _MARGIN
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{BACKGROUND}"/>',
        _DIAL,
        draw_text("Tacho", 114, 74, 28, INK, weight=600),
        draw_text(
            cut(" · ".join(facts), 22, room - 100), WIDTH - _MARGIN, 74, 22, MUTED, anchor="end"
        ),
        draw_text(cut(title, 24, room), _MARGIN, 122, 24, MUTED),
    ]
    words, top = _draw_words(headline, " ".join(sentences), room)
    parts += words
    if bars:
        parts += _draw_bars(bars[:_MOST_BARS], top, room)
    parts.append(draw_text(cut(foot, 20, room), _MARGIN, HEIGHT - 36, 20, MUTED))
    if count:
        parts.append(draw_text(count, WIDTH - _MARGIN, HEIGHT - 36, 20, MUTED, anchor="end"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Inter">{"".join(parts)}</svg>'
    )


@lru_cache(maxsize=64)
def to_png(svg: str) -> bytes:
    """Return the drawing as PNG, with our own fonts, because a host may have none."""
    fonts = [str(path) for path in sorted(_FONTS.glob("*.ttf"))]
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, skip_system_fonts=True, font_files=fonts, sans_serif_family="Inter"
        )
    )


def _describe_progress(results: RunResults) -> str:
    status, trials = results.run.status.capitalize(), count_of(len(results.run.trials), "trial")
    return f"{status}: {results.trials_finished} of {trials} finished."


def _draw_words(headline: str, text: str, room: float) -> tuple[list[str], float]:
    """Return headline and text, and where they end."""
    parts, y = [], 178.0
    for line in wrap(headline, 40, room, 2):
        parts.append(draw_text(line, _MARGIN, y, 40, INK, weight=600))
        y += 50
    for line in wrap(text, 24, room, 3):
        parts.append(draw_text(line, _MARGIN, y, 24, INK))
        y += 34
    return parts, y


def _draw_bars(bars: Sequence[Bar], top: float, room: float) -> list[str]:
    row = min(52.0, (HEIGHT - 70 - top) / len(bars))
    drawn = draw_bars(bars, width=room, row=row, size=min(24.0, row * 0.52))
    return [f'<g transform="translate({_MARGIN} {top})">{drawn}</g>']


def _describe_bars(bars: Sequence[Bar], title: str, load: str) -> str:
    what = "95 % intervals" if any(bar.low is not None for bar in bars) else "values of the trials"
    left = len(bars) - _MOST_BARS
    return f"{title}, {what} · {load}{f' · and {left} more' if left > 0 else ''}"


def list_bars(rows: Sequence[AnswerRow]) -> list[Bar]:
    """Return a bar for each result with an estimate, in the order of the rows."""
    return [
        Bar(
            name=row.name,
            colour=row.colour,
            estimate=row.estimate,
            low=row.low if row.interval else None,
            high=row.high if row.interval else None,
            excluded=row.excluded,
            figures=f"{row.values or row.figures}{' excluded' if row.excluded else ''}",
            is_bound=row.is_bound,
        )
        for row in rows
        if row.estimate is not None
    ]


def describe_run(results: RunResults, answer: Answer) -> str:
    """Return a run in one line: what was measured, what was found, and why it may be unusable."""
    if answer.outcome is None:
        return _describe_progress(results)
    reason = [answer.reason] if answer.reason else []
    facts = f"{', '.join(answer.facts)}."
    return use_plain_spaces(" ".join([f"{answer.headline}.", *answer.sentences, *reason, facts]))
