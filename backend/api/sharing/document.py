"""A run as one HTML file that opens without a server: words, charts, tables, and all its data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

from sqlalchemy.orm import Session

from backend.api.rankings.views import CellGroup, group_cells, rank_group
from backend.api.runs.schemas import CellOut, RunOut, TrialOut
from backend.api.sharing.drawing import Axis, Line, draw_bars, draw_lines, draw_marker, value_axis
from backend.api.sharing.ink import DARK, LIGHT, THEMED, Ink
from backend.api.sharing.preview import list_bars
from backend.api.trials.views import latency_out
from backend.core.measurements import repository as measurements
from backend.core.numbers import format_figure, format_interval, format_value
from backend.core.ranking.sentence import describe_ranking
from backend.core.statuses import TrialStatus
from backend.core.units import METRICS, Metric, Phase

_SHOWN = (
    Metric.THROUGHPUT_RPS,
    Metric.LATENCY_P50_MS,
    Metric.LATENCY_P99_MS,
    Metric.CPU_US_PER_REQUEST,
    Metric.MEMORY_PEAK_BYTES,
    Metric.BOOT_MS,
)
_QUANTILES = ((2, "p50"), (10, "p90"), (100, "p99"), (1e3, "p99.9"), (1e4, "p99.99"))
_WIDTH = 960.0
_CHART_HEIGHT = 260.0


# A piece of a document, written with what it reads from the database.
Part = Callable[[Session], str]


def list_document(run: RunOut, data: Iterable[Part], origin: str) -> Iterator[Part]:
    """Return the pieces of the file in their order.

    Args:
        data: the whole result as JSON in pieces, kept in the file.
        origin: of this installation, for the way back to it.
    """
    yield lambda _: _head(run, origin)
    for group in group_cells(run):
        yield partial(_group, run=run, group=group)
    yield lambda _: _tables(run)
    for part in data:
        yield partial(_escaped, part=part)
    yield lambda _: _end(run)


def _escaped(session: Session, *, part: Part) -> str:
    # Nothing in the data may end the element that holds it.
    return part(session).replace("<", "\\u003c")


def _head(run: RunOut, origin: str) -> str:
    link = escape(f"{origin}{run.permalink}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(run.title)} · Tacho</title>
<style>{_style()}</style>
</head>
<body>
<header>
<p class="quiet">Tacho</p>
<h1>{escape(run.title)}</h1>
<p class="quiet">{escape(run.host)} · {run.runtime} · {run.created_at:%-d %b %Y, %H:%M} UTC ·
Trials per result: {run.trials_per_cell} · {run.status} · <a href="{link}">{link}</a></p>
</header>
<main>
"""


def _tables(run: RunOut) -> str:
    return f"""
<section><h2>Trials</h2>{_trials(run)}</section>
<section><h2>Environment</h2>{_facts(run.environment)}{_own_facts(run)}</section>
</main>
<footer class="quiet">
<p>Estimates over trials with 95 % intervals. This file contains all data of the run as JSON.
<button id="save" type="button">Download the data</button></p>
</footer>
<script type="application/json" id="data">"""


def _end(run: RunOut) -> str:
    return f"""</script>
<script>
document.getElementById('save').onclick = () => {{
  const text = document.getElementById('data').textContent;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {{ type: 'application/json' }}));
  link.download = 'tacho-{run.slug}.json';
  link.click();
}};
</script>
</body>
</html>
"""


def _style() -> str:
    def variables(ink: Ink) -> str:
        named = {
            "ink": ink.ink,
            "muted": ink.muted,
            "line": ink.line,
            "background": ink.background,
            **{f"series-{index}": colour for index, colour in enumerate(ink.series)},
        }
        return "".join(f"--{name}:{value};" for name, value in named.items())

    return f"""
:root{{{variables(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{{variables(DARK)}}}}}
body{{margin:0 auto;max-width:{_WIDTH:.0f}px;padding:32px 16px;background:var(--background);
color:var(--ink);font:14px/1.5 Inter,system-ui,sans-serif;font-variant-numeric:tabular-nums}}
h1{{font-size:28px;margin:4px 0}}h2{{font-size:20px;margin:40px 0 8px}}
h3{{font-size:14px;margin:24px 0 8px}}a{{color:inherit}}
.quiet{{color:var(--muted);font-size:12px;overflow-wrap:anywhere}}.words{{font-size:20px;max-width:62ch}}
.scroll{{overflow-x:auto}}table{{border-collapse:collapse;width:100%}}
th,td{{padding:6px 12px 6px 0;text-align:left;border-bottom:1px solid var(--line);
white-space:nowrap;font-weight:400}}
thead th{{font-size:12px;color:var(--muted)}}.number{{text-align:right}}
table{{margin-top:16px}}td small{{color:var(--muted)}}svg{{display:block;width:100%;height:auto}}
.mark{{display:inline-block;width:12px;margin-right:6px}}
dl{{display:grid;grid-template-columns:minmax(120px,auto) 1fr;gap:4px 16px}}dt{{color:var(--muted)}}
dd{{margin:0;overflow-wrap:anywhere}}
@media print{{button{{display:none}}section{{break-inside:avoid}}}}
"""


def _group(session: Session, *, run: RunOut, group: CellGroup) -> str:
    ranking = rank_group(run, group)
    bars = list_bars(group, ranking)
    drawn = draw_bars(bars, THEMED, width=_WIDTH, row=36, size=14)
    first = group.cells[0]
    load = ", ".join(f"{name} {value}" for name, value in first.parameters.items())
    title = METRICS[ranking.metric].title
    return f"""<section>
<h2>{escape(first.scenario.name)}</h2>
<p class="quiet">{escape(first.profile)}: {escape(load.replace("_", " "))}</p>
<p class="words">{escape(" ".join(describe_ranking(ranking)))}</p>
<h3>{title}</h3>
{_svg(drawn, 36 * len(bars), f"{title} of each framework")}
{_table(group)}
<h3>Latency by percentile, on a log axis</h3>
{_percentiles(session, run, group)}
<h3>Latency p99 over time, ms by second, a line a trial</h3>
{_over_time(session, run, group)}
</section>"""


def _svg(content: str, height: float, label: str) -> str:
    box = f"-8 0 {_WIDTH + 16:.0f} {height:.0f}"
    return (
        f'<svg viewBox="{box}" role="img" aria-label="{escape(label)}" font-size="12">'
        f"{content}</svg>"
    )


def _table(group: CellGroup) -> str:
    heads = "".join(f'<th class="number">{METRICS[metric].title}</th>' for metric in _SHOWN)
    rows = "".join(
        f"<tr><th>{_marked(cell)}</th>"
        + "".join(f'<td class="number">{_figure(cell, metric)}</td>' for metric in _SHOWN)
        + f"<td>{', '.join(one.verdict.replace('_', ' ') for one in cell.verdicts)}</td></tr>"
        for cell in group.cells
    )
    return (
        f'<div class="scroll"><table><thead><tr><th>Framework</th>{heads}<th>Verdicts</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _marked(cell: CellOut) -> str:
    mark = draw_marker(cell.framework.colour, 0, 0, 12, THEMED)
    return f'<svg class="mark" viewBox="0 0 12 12">{mark}</svg>{escape(cell.framework.name)}'


def _figure(cell: CellOut, metric: Metric) -> str:
    found = cell.summary.get(metric)
    if found is None:
        return "–"
    shown = format_value(found.estimate, found.unit)
    if found.low is None or found.high is None:
        return shown
    interval = format_interval(found.estimate, found.low, found.high, found.unit)
    return f"{shown}<br><small>{interval}</small>"


def _succeeded(run: RunOut, cell: CellOut) -> list[TrialOut]:
    return [
        trial
        for trial in run.trials
        if trial.cell_id == cell.id and trial.status == TrialStatus.SUCCEEDED
    ]


def _percentiles(session: Session, run: RunOut, group: CellGroup) -> str:
    lines = []
    for cell in group.cells:
        ids = [trial.id for trial in _succeeded(run, cell)]
        curve = latency_out(measurements.list_histograms(session, ids)).percentiles
        points = [
            (1 / (1 - point.quantile), point.latency_ms) for point in curve if point.quantile < 1
        ]
        lines.append(Line(cell.framework.colour, points))
    reach = max((x for line in lines for x, _ in line.points), default=100.0)
    ticks = [(at, label) for at, label in _QUANTILES if at <= max(reach, 100)]
    return _chart(lines, Axis(1, max(reach, 100.0), ticks, is_log=True), "Latency by percentile")


def _over_time(session: Session, run: RunOut, group: CellGroup) -> str:
    lines = [
        Line(
            cell.framework.colour,
            [
                (second, p99_ms)
                for phase, second, p99_ms in measurements.list_sample_values(
                    session, trial.id, ("phase", "second", "latency_p99_ms")
                )
                if phase == Phase.MEASURE and p99_ms is not None
            ],
        )
        for cell in group.cells
        for trial in _succeeded(run, cell)
    ]
    last = max((x for line in lines for x, _ in line.points), default=1.0)
    ticks = [(last * part / 4, format_figure(round(last * part / 4))) for part in range(5)]
    return _chart(lines, Axis(0, max(last, 1.0), ticks), "Latency p99 over time")


def _chart(lines: Sequence[Line], across: Axis, label: str) -> str:
    most = max((y for line in lines for _, y in line.points), default=0.0)
    if most == 0:
        return '<p class="quiet">No successful requests.</p>'
    up = value_axis(most, "ms")
    drawn = draw_lines(lines, across, up, THEMED, width=_WIDTH, height=_CHART_HEIGHT)
    return _svg(drawn, _CHART_HEIGHT, label)


def _trials(run: RunOut) -> str:
    cells = {cell.id: cell for cell in run.cells}
    rows = "".join(
        f"<tr><th>{_marked(cells[trial.cell_id])}</th><td>{trial.repetition}</td>"
        f"<td>{trial.status}</td><td>{escape(_said(trial))}</td></tr>"
        for trial in sorted(run.trials, key=lambda one: one.position)
    )
    return (
        '<div class="scroll"><table><thead><tr><th>Framework</th><th>Trial</th><th>Status</th>'
        f"<th>Verdicts</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _said(trial: TrialOut) -> str:
    if trial.failure is not None:
        return f"{trial.failure.title}. {trial.failure.detail}"
    return "; ".join(
        f"{one.verdict.replace('_', ' ')}: {one.detail}" for one in trial.verdicts if one.detail
    )


def _own_facts(run: RunOut) -> str:
    """What is each framework's own, once where its cells do not differ in it."""
    seen: list[tuple[str, Mapping[str, Any]]] = []
    for cell in run.cells:
        own = (cell.framework.name, cell.environment)
        if cell.environment and own not in seen:
            seen.append(own)
    return "".join(f"<h3>{escape(name)}</h3>{_facts(own)}" for name, own in seen)


def _facts(record: Mapping[str, Any]) -> str:
    """Nested records as nested lists."""
    rows = "".join(
        f"<dt>{escape(str(name).replace('_', ' '))}</dt>"
        f"<dd>{_facts(value) if isinstance(value, Mapping) else escape(_fact(value))}</dd>"
        for name, value in record.items()
        if value not in (None, "", {}, [])
    )
    return f"<dl>{rows}</dl>"


def _fact(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
