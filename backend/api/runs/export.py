"""A whole result to take away."""

import csv
import io
import json
from collections.abc import Callable
from enum import StrEnum
from functools import partial

from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.runs.schemas import CellOut, RunOut, TrialOut, WholeRun
from backend.api.runs.views import run_out
from backend.api.sharing.document import write_document
from backend.api.trials.schemas import Latency, SampleOut
from backend.api.trials.views import latency_out, sample_out
from backend.core.measurements import repository as measurements
from backend.core.models import Run
from backend.core.units import METRICS, Metric

_SHOWN = (
    Metric.THROUGHPUT_RPS,
    Metric.LATENCY_P50_MS,
    Metric.LATENCY_P99_MS,
    Metric.CPU_US_PER_REQUEST,
    Metric.MEMORY_PEAK_BYTES,
    Metric.BOOT_MS,
    Metric.SUCCESS_RATIO,
)


CSV_EXAMPLE = """run,framework,scenario,profile,parameters,repetition,position,status,…
k3v9q2mx4d,node,hello,rate-quick,"{""rate_rps"": 500, …}",1,0,succeeded,…
"""
MARKDOWN_EXAMPLE = """# Node.js · Hello

Run `k3v9q2mx4d` on bench-01 (docker), succeeded.

| Framework | Throughput (req/s) | Latency p99 (ms) | … |
| --- | ---: | ---: | --- |
| Node.js | 500 [499.8, 500.2] | 1.84 [1.79, 1.9] | … |
"""


class Suffix(StrEnum):
    JSON = "json"
    CSV = "csv"
    MD = "md"
    HTML = "html"


class TrialExport(TrialOut):
    samples: list[SampleOut] = Field(description="Both phases, warm-up first.")
    latency: Latency


class RunExport(WholeRun):
    """A run with every second and every distribution of its trials."""

    trials: list[TrialExport]


def render(session: Session, run: Run, suffix: Suffix, origin: str) -> tuple[str, str]:
    """The export's text and media type.

    Args:
        origin: of this installation, such as https://tacho.example.org.
    """
    whole = run_out(session, run)
    renderers: dict[Suffix, tuple[Callable[[Session, RunOut], str], str]] = {
        Suffix.JSON: (_json, "application/json"),
        Suffix.CSV: (_csv, "text/csv"),
        Suffix.MD: (_markdown, "text/markdown"),
        Suffix.HTML: (partial(_html, origin=origin), "text/html"),
    }
    renderer, media_type = renderers[suffix]
    return renderer(session, whole), media_type


def _json(session: Session, run: RunOut) -> str:
    # What this installation has yet to do with a run is no part of its result.
    document = run.model_dump(mode="json", exclude={"conclusion_failure"})
    for trial, shown in zip(run.trials, document["trials"], strict=True):
        rows = measurements.list_samples(session, trial.id, None)
        shown["samples"] = [sample_out(row) for row in rows]
        shown["latency"] = latency_out(measurements.list_histograms(session, [trial.id]))
    return RunExport.model_validate(document).model_dump_json(indent=2)


def _html(session: Session, run: RunOut, *, origin: str) -> str:
    return write_document(session, run, _json(session, run), origin)


def _csv(_: Session, run: RunOut) -> str:
    """A row a trial; the metrics' columns carry their units in their names."""
    cells = {cell.id: cell for cell in run.cells}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["run", "framework", "scenario", "profile", "parameters", "repetition", "position"]
    writer.writerow([*head, "status", "runtime", "verdicts", *(metric.value for metric in Metric)])
    for trial in run.trials:
        cell = cells[trial.cell_id]
        parameters = json.dumps(cell.parameters, sort_keys=True)
        writer.writerow(
            [
                run.slug,
                cell.framework.slug,
                cell.scenario.slug,
                cell.profile,
                parameters,
                trial.repetition,
                trial.position,
                trial.status,
                trial.runtime or "",
                " ".join(verdict.verdict for verdict in trial.verdicts),
                *(trial.metrics.get(metric, "") for metric in Metric),
            ]
        )
    return out.getvalue()


def _markdown(_: Session, run: RunOut) -> str:
    lines = [f"# {run.title}", "", f"Run `{run.slug}` on {run.host} ({run.runtime}), {run.status}."]
    groups: dict[tuple[str, str], list[CellOut]] = {}
    for cell in run.cells:
        parameters = ", ".join(f"{key} = {value}" for key, value in cell.parameters.items())
        groups.setdefault((cell.scenario.name, f"{cell.profile}: {parameters}"), []).append(cell)
    for (scenario, profile), cells in groups.items():
        lines += ["", f"## {scenario}", "", f"{profile}; trials a cell: {run.trials_per_cell}.", ""]
        titles = [f"{METRICS[metric].title} ({_scale(metric)[0]})" for metric in _SHOWN]
        lines.append(f"| Framework | {' | '.join(titles)} | Verdicts |")
        lines.append("| --- |" + " ---: |" * len(_SHOWN) + " --- |")
        for cell in cells:
            figures = " | ".join(_figure(cell, metric) for metric in _SHOWN)
            verdicts = ", ".join(verdict.verdict for verdict in cell.verdicts) or "no result"
            lines.append(f"| {cell.framework.name} | {figures} | {verdicts} |")
    lines += ["", "Estimates over trials with 95 % intervals in brackets.", ""]
    return "\n".join(lines)


def _figure(cell: CellOut, metric: Metric) -> str:
    summary = cell.summary.get(metric)
    if summary is None:
        return "–"
    _, divisor = _scale(metric)
    centre = _number(summary.estimate / divisor)
    if summary.low is None or summary.high is None:
        return centre
    return f"{centre} [{_number(summary.low / divisor)}, {_number(summary.high / divisor)}]"


def _scale(metric: Metric) -> tuple[str, float]:
    """The unit that tables for people show, and how many of the metric's own make one."""
    unit = METRICS[metric].unit
    return ("MB", 1e6) if unit == "B" else (unit, 1.0)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
