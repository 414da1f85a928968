"""The picture of a run that a chat or a search page shows beside its link: 1200 × 630."""

from functools import lru_cache
from pathlib import Path

import resvg_py

from backend.api.rankings.views import CellGroup, group_cells, rank_group
from backend.api.runs.schemas import RunOut
from backend.api.sharing.colours import BACKGROUND, INK, MUTED
from backend.api.sharing.drawing import Bar, cut, draw_bars, draw_text, wrap
from backend.core.ranking.candidate_ranking import CandidateRanking
from backend.core.ranking.sentence import describe_ranking, lower_title, quote_estimate
from backend.core.runs.status import RUN_ENDS
from backend.core.units import METRICS, Metric

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


def draw_preview(run: RunOut, group: str | None = None, metric: Metric | None = None) -> str:
    """The picture as SVG: what was measured, the result in words, and its bars.

    Args:
        group, metric: which result; default: the first group, by what its load is for.
    """
    room = WIDTH - 2 * _MARGIN
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{BACKGROUND}"/>',
        _DIAL,
        draw_text("Tacho", 114, 74, 28, INK, weight=600),
        draw_text(_facts(run), WIDTH - _MARGIN, 74, 22, MUTED, anchor="end"),
        draw_text(cut(run.title, 44, room), _MARGIN, 152, 44, INK, weight=600),
    ]
    groups = group_cells(run)
    found = next((one for one in groups if one.key == group), None) or next(iter(groups), None)
    if found is None or run.status not in RUN_ENDS:
        done, all_of = run.progress.trials_finished, run.progress.trials_total
        said = f"{run.status.capitalize()}: {done} of {all_of} trials finished."
        parts.append(draw_text(said, _MARGIN, 220, 30, MUTED))
    else:
        parts += _result(found, rank_group(run, found, metric), room)
        if len(groups) > 1:
            said = f"1 of {len(groups)} result groups"
            parts.append(draw_text(said, WIDTH - _MARGIN, HEIGHT - 36, 20, MUTED, anchor="end"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Inter">{"".join(parts)}</svg>'
    )


@lru_cache(maxsize=64)
def to_png(svg: str) -> bytes:
    """The drawing as PNG, with fonts of our own: a host may have none."""
    fonts = [str(path) for path in sorted(_FONTS.glob("*.ttf"))]
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, skip_system_fonts=True, font_files=fonts, sans_serif_family="Inter"
        )
    )


def _facts(run: RunOut) -> str:
    trials = "1 trial" if run.trials_per_cell == 1 else f"{run.trials_per_cell} trials"
    return f"{run.host} · {trials} per result · {run.created_at:%-d %b %Y}"


def _result(group: CellGroup, ranking: CandidateRanking, room: float) -> list[str]:
    sentences = describe_ranking(ranking)
    lines = wrap(" ".join(sentences), 28, room, 4)
    parts = [
        draw_text(line, _MARGIN, 204 + index * 38, 28, INK) for index, line in enumerate(lines)
    ]
    top = 204 + len(lines) * 38
    bars = list_bars(group, ranking)
    shown = bars[:_MOST_BARS]
    row = min(52.0, (HEIGHT - 70 - top) / max(len(shown), 1))
    drawn = draw_bars(shown, width=room, row=row, size=min(24.0, row * 0.52))
    parts.append(f'<g transform="translate({_MARGIN} {top})">{drawn}</g>')
    left = len(bars) - len(shown)
    title = METRICS[ranking.metric].title
    foot = f"{title}, 95 % intervals · {group.cells[0].scenario.name}"
    if left:
        foot += f" · and {left} more"
    parts.append(draw_text(cut(foot, 20, room), _MARGIN, HEIGHT - 36, 20, MUTED))
    return parts


def list_bars(group: CellGroup, ranking: CandidateRanking) -> list[Bar]:
    """Return a bar for each cell with an estimate, in the order of the ranking."""
    unit = METRICS[ranking.metric].unit
    bars = []
    for position in ranking.order:
        candidate, framework = (
            ranking.candidates[position].candidate,
            group.cells[position].framework,
        )
        if candidate.estimate is None:
            continue
        excluded = bool(candidate.excluded_by)
        figures = quote_estimate(candidate, unit)
        bars.append(
            Bar(
                name=framework.name,
                colour=framework.colour,
                estimate=candidate.estimate.estimate,
                low=candidate.estimate.low,
                high=candidate.estimate.high,
                excluded=excluded,
                figures=f"{figures} excluded" if excluded else figures,
            )
        )
    return bars


def describe_run(run: RunOut) -> str:
    """The run in one line of words: what was measured, and the first group's result."""
    groups = group_cells(run)
    if not groups or run.status not in RUN_ENDS:
        done, all_of = run.progress.trials_finished, run.progress.trials_total
        return f"{run.status.capitalize()}: {done} of {all_of} trials finished."
    ranking = rank_group(run, groups[0])
    by = lower_title(METRICS[ranking.metric].title)
    words = " ".join(describe_ranking(ranking)).replace("\u202f", " ")
    more = f" 1 of {len(groups)} result groups." if len(groups) > 1 else ""
    return f"{groups[0].cells[0].scenario.name} by {by}: {words}{more}"
