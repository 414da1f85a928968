"""The picture of a run that a chat or a search page shows next to its link: 1200 × 630."""

from functools import lru_cache
from pathlib import Path

import resvg_py

from backend.api.sharing.colours import BACKGROUND, INK, MUTED
from backend.api.sharing.drawing import Bar, cut, draw_bars, draw_text, wrap
from backend.core.models import Run
from backend.core.numbers import use_plain_spaces
from backend.core.ranking.candidate_ranking import Eligibility
from backend.core.ranking.sentence import lower_title, show_estimate
from backend.core.run_results.rankings import GroupRanking
from backend.core.run_results.service import RunResults
from backend.core.runs.status import RUN_ENDS
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
    """Return the picture as SVG: what was measured, the result in sentences, and its bars.

    Args:
        group: key of a group; default: the first.
        metric: default: the main metric of the group's kind of load.
    """
    run = results.run
    room = WIDTH - 2 * _MARGIN
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{BACKGROUND}"/>',
        _DIAL,
        draw_text("Tacho", 114, 74, 28, INK, weight=600),
        draw_text(_facts(run), WIDTH - _MARGIN, 74, 22, MUTED, anchor="end"),
        draw_text(cut(run.title, 44, room), _MARGIN, 152, 44, INK, weight=600),
    ]
    ranking = results.rank_group(group, metric) if run.status in RUN_ENDS else None
    if ranking is None:
        parts.append(draw_text(_describe_progress(results), _MARGIN, 220, 30, MUTED))
    else:
        parts += _result(ranking, room)
        if len(results.groups) > 1:
            count = f"1 of {len(results.groups)} result groups"
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


def _facts(run: Run) -> str:
    trials = "1 trial" if run.trials_per_cell == 1 else f"{run.trials_per_cell} trials"
    return f"{run.host.name} · {trials} per result · {run.created_at:%-d %b %Y}"


def _describe_progress(results: RunResults) -> str:
    status, trials = results.run.status.capitalize(), len(results.run.trials)
    return f"{status}: {results.trials_finished} of {trials} trials finished."


def _result(ranking: GroupRanking, room: float) -> list[str]:
    lines = wrap(" ".join(ranking.sentences), 28, room, 4)
    parts = [
        draw_text(line, _MARGIN, 204 + index * 38, 28, INK) for index, line in enumerate(lines)
    ]
    top = 204 + len(lines) * 38
    bars = list_bars(ranking)
    shown = bars[:_MOST_BARS]
    row = min(52.0, (HEIGHT - 70 - top) / max(len(shown), 1))
    drawn = draw_bars(shown, width=room, row=row, size=min(24.0, row * 0.52))
    parts.append(f'<g transform="translate({_MARGIN} {top})">{drawn}</g>')
    left = len(bars) - len(shown)
    foot = f"{ranking.info.title}, 95 % intervals · {ranking.group.scenario.name}"
    if left:
        foot += f" · and {left} more"
    parts.append(draw_text(cut(foot, 20, room), _MARGIN, HEIGHT - 36, 20, MUTED))
    return parts


def list_bars(ranking: GroupRanking) -> list[Bar]:
    """Return a bar for each cell with an estimate, in the order of the ranking."""
    bars = []
    for result, ranked in ranking.list_ranked():
        estimate = ranked.candidate.estimate
        if estimate is None:
            continue
        excluded = ranked.candidate.eligibility is Eligibility.EXCLUDED
        figures = show_estimate(estimate, ranking.info.unit)
        bars.append(
            Bar(
                name=result.name,
                colour=result.cell.framework.colour,
                estimate=estimate.estimate,
                low=estimate.low,
                high=estimate.high,
                excluded=excluded,
                figures=f"{figures} excluded" if excluded else figures,
            )
        )
    return bars


def describe_run(results: RunResults) -> str:
    """Return a run in one line: what was measured, and the result of the first group."""
    ranking = results.rank_group() if results.run.status in RUN_ENDS else None
    if ranking is None:
        return _describe_progress(results)
    by = lower_title(ranking.info.title)
    sentences = use_plain_spaces(" ".join(ranking.sentences))
    groups = len(results.groups)
    more = f" 1 of {groups} result groups." if groups > 1 else ""
    return f"{ranking.group.scenario.name} by {by}: {sentences}{more}"
