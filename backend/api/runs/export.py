"""Exports of a whole run."""

import json
from collections.abc import Iterator
from enum import StrEnum
from functools import partial

from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.measurement.trials.schemas import (
    Conformance,
    Latency,
    ResponseChecksOut,
    SampleOut,
)
from backend.api.measurement.trials.views import latency_out, write_samples
from backend.api.results.answers.views import Answer, answer_out
from backend.api.results.sharing import exported_page
from backend.api.results.sharing.exported_page import Piece
from backend.api.runs.schemas import CellOut, RunOut, TrialOut, WholeRun
from backend.api.runs.views import are_seconds_stored
from backend.core.csv_rows import write_csv_row
from backend.core.markdown import escape_markdown, write_table_row
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Trial
from backend.core.numbers import format_estimate
from backend.core.results.run_results.answer.model import AnswerRow
from backend.core.results.run_results.answer.rows import list_rows
from backend.core.results.run_results.service import RunResults
from backend.core.units import METRICS, PRIMARY_METRICS, Metric
from backend.version import VERSION

# Columns of the CSV file about the result of a trial's cell.
_RESULT_COLUMNS = (
    *("rank", "estimate", "low", "high", "n", "is_bound"),
    *("ratio", "ratio_low", "ratio_high", "state"),
)
_MARKDOWN_METRICS = (*PRIMARY_METRICS, Metric.SUCCESS_RATIO)

CSV_EXAMPLE = """run,framework,scenario,profile,parameters,repetition,position,status,…
k3v9q2mx4d,node,hello,rate-quick,"{""rate_rps"": 500, …}",1,0,succeeded,…
"""
MARKDOWN_EXAMPLE = """# Node.js · Hello

**CPU per request of Node.js: 61.2 µs.** 5 trials.

Run `k3v9q2mx4d` on bench-01 (docker), succeeded, usable.

| Framework | Throughput | Latency p99 | … |
| --- | ---: | ---: | --- |
| Node.js | 500 req/s [500, 500] | 1.84 ms [1.79, 1.90] | … |
"""


BIBTEX_EXAMPLE = """@misc{tacho-k3v9q2mx4d,
  title = {Node.js · Hello},
  howpublished = {Benchmark run k3v9q2mx4d, Tacho 0.1.0},
  url = {https://tacho.example.org/r/k3v9q2mx4d},
  year = {2026},
  note = {CPU per request of Node.js: 61.2 µs. Measured on bench-01 (docker) on 2026-11-20.}
}
"""
# BibTeX is read by TeX: these have a meaning there, also in titles that people wrote.
_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        # BibTeX pairs braces also after a backslash.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        **{sign: f"\\{sign}" for sign in "%&$#_"},
    }
)


class Suffix(StrEnum):
    JSON = "json"
    CSV = "csv"
    SECONDS = "seconds.csv"
    MD = "md"
    HTML = "html"
    BIB = "bib"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {
    Suffix.JSON: "application/json",
    Suffix.CSV: "text/csv",
    Suffix.SECONDS: "text/csv",
    Suffix.MD: "text/markdown",
    Suffix.HTML: "text/html",
    Suffix.BIB: "application/x-bibtex",
}


class TrialExport(TrialOut):
    checks: ResponseChecksOut | None
    conformance_after: list[Conformance]
    samples: list[SampleOut] = Field(
        description="Seconds of both phases, warm-up first. Empty if the `removal` of the run has "
        "a `seconds_at`."
    )
    latency: Latency


class RunExport(WholeRun):
    """A run with its answer, and every second and every distribution of its trials."""

    answer: Answer
    trials: list[TrialExport]


def list_parts(run: RunOut, results: RunResults, suffix: Suffix, origin: str) -> Iterator[Piece]:
    """Return the pieces of an export in their order. Each reads what it needs, a trial at most, so
    that a large run never is in memory as a whole.

    Args:
        origin: of this installation, such as https://tacho.example.org.
    """
    if suffix is Suffix.JSON:
        return _list_json(run, results)
    if suffix is Suffix.HTML:
        return exported_page.list_pieces(run, results, origin)
    if suffix is Suffix.SECONDS:
        return _list_seconds(run)
    if suffix is Suffix.BIB:
        return iter([_bibtex(run, results, origin)])
    write = _csv if suffix is Suffix.CSV else _markdown
    return iter([lambda _: write(run, results)])


def _list_json(run: RunOut, results: RunResults) -> Iterator[Piece]:
    # A pending finalization is not part of the result, and neither is its reader.
    head = run.model_dump_json(exclude={"finalization_failure", "is_own", "trials"}).removesuffix(
        "}"
    )
    answer = answer_out(results).model_dump_json()
    yield f'{head},\n"answer":{answer},\n"trials":['
    for number, (trial, stored) in enumerate(zip(run.trials, results.run.trials, strict=True)):
        yield partial(
            _trial_json,
            trial=trial,
            stored=stored,
            has_seconds=are_seconds_stored(run),
            before=",\n" if number else "\n",
        )
    yield "]}\n"


def _trial_json(
    session: Session, *, trial: TrialOut, stored: Trial, has_seconds: bool, before: str
) -> str:
    samples = write_samples(session, trial.id) if has_seconds else "[]"
    latency = latency_out(measurements.list_histograms(session, [trial.id])).model_dump_json()
    head = trial.model_dump_json().removesuffix("}")
    checks, after = json.dumps(stored.checks), json.dumps(stored.conformance_after)
    return (
        f'{before}{head},"checks":{checks},"conformance_after":{after},'
        f'"samples":{samples},"latency":{latency}}}'
    )


def _list_seconds(run: RunOut) -> Iterator[Piece]:
    """Yield one row per second, of each trial in its order; only the head if they are removed."""
    columns = list(SampleOut.model_fields)
    head = ["run", "framework", "scenario", "profile", "parameters", "repetition", "position"]
    yield write_csv_row([*head, *columns])
    cells = {cell.id: cell for cell in run.cells}
    for trial in run.trials if are_seconds_stored(run) else ():
        cell = cells[trial.cell_id]
        parameters = json.dumps(cell.parameters, sort_keys=True)
        place = [run.slug, cell.framework.slug, cell.scenario.slug, cell.profile, parameters]
        place += [str(trial.repetition), str(trial.position)]
        yield partial(_trial_seconds, trial=trial, place=place, columns=columns)


def _trial_seconds(
    session: Session, *, trial: TrialOut, place: list[str], columns: list[str]
) -> str:
    seconds = json.loads(write_samples(session, trial.id))
    return "".join(
        write_csv_row([*place, *(second[column] for column in columns)]) for second in seconds
    )


def _bibtex(run: RunOut, results: RunResults, origin: str) -> str:
    """Return an entry with which a paper cites the run."""
    at = run.finished_at or run.created_at
    where = f"Measured on {run.host} ({run.runtime}) on {at:%Y-%m-%d}."
    fields = {
        "title": run.title.translate(_TEX),
        "howpublished": f"Benchmark run {run.slug}, Tacho {VERSION}",
        "url": f"{origin}{run.permalink}",
        "year": str(at.year),
        "note": f"{answer_out(results).headline}. {where}".translate(_TEX),
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{tacho-{run.slug},\n{lines}\n}}\n"


def _csv(run: RunOut, results: RunResults) -> str:
    """Return one row per trial. The names of the metric columns contain the units.

    The last columns are about the result of the trial's cell, by the metric of the ranking.
    """
    cells = {cell.id: cell for cell in run.cells}
    rows = {
        row.cell_id: (ranking.metric, row)
        for ranking in results.rankings
        for row in list_rows(ranking)
    }
    head = ["run", "framework", "scenario", "profile", "parameters", "repetition", "position"]
    metrics = [metric.value for metric in Metric]
    ranked = ["ranked_by", *(f"result_{name}" for name in _RESULT_COLUMNS)]
    lines = [write_csv_row([*head, "status", "runtime", "verdicts", *metrics, *ranked])]
    for trial in run.trials:
        cell = cells[trial.cell_id]
        parameters = json.dumps(cell.parameters, sort_keys=True)
        lines.append(
            write_csv_row(
                [
                    run.slug,
                    cell.framework.slug,
                    cell.scenario.slug,
                    cell.profile,
                    parameters,
                    trial.repetition,
                    trial.position,
                    trial.status,
                    trial.runtime,
                    " ".join(verdict.verdict for verdict in trial.verdicts),
                    *(trial.metrics.get(metric) for metric in Metric),
                    *_list_result(*rows[cell.id]),
                ]
            )
        )
    return "".join(lines)


def _list_result(metric: Metric, row: AnswerRow) -> list[object]:
    """Return the metric and the figures of a result; what it lacks is empty."""
    figures = [getattr(row, name) for name in _RESULT_COLUMNS]
    return [metric.value, *figures]


def _markdown(run: RunOut, results: RunResults) -> str:
    answer = answer_out(results)
    ended = f", {run.outcome.replace('_', ' ')}" if run.outcome else ""
    sentences = escape_markdown(" ".join(answer.sentences))
    lines = [f"# {escape_markdown(run.title)}", ""]
    lines.append(f"**{escape_markdown(answer.headline)}.** {sentences}".strip())
    if answer.reason:
        lines += ["", escape_markdown(answer.reason)]
    where = f"on {escape_markdown(run.host)} ({run.runtime})"
    lines += ["", f"Run `{run.slug}` {where}, {run.status}{ended}."]
    cells_by_id = {cell.id: cell for cell in run.cells}
    if run.goal and run.goal.sentence:
        lines += ["", escape_markdown(run.goal.sentence)]
    if run.removal and run.removal.seconds_note:
        lines += ["", escape_markdown(run.removal.seconds_note)]
    for group in run.groups:
        cells = [cells_by_id[cell_id] for cell_id in group.cells]
        parameters = ", ".join(f"{key} = {value}" for key, value in group.parameters.items())
        load = escape_markdown(f"{group.profile}: {parameters}")
        lines += ["", f"## {escape_markdown(group.scenario.name)}", ""]
        lines += [f"{load}; trials per result: {run.trials_per_cell}.", ""]
        metrics = [
            metric for metric in _MARKDOWN_METRICS if any(metric in cell.summary for cell in cells)
        ]
        titles = [METRICS[metric].title for metric in metrics]
        lines.append(write_table_row(["Framework", *titles, "Verdicts"]))
        lines.append("| --- |" + " ---: |" * len(metrics) + " --- |")
        for cell in cells:
            figures = [_figure(cell, metric) for metric in metrics]
            verdicts = ", ".join(verdict.verdict for verdict in cell.verdicts) or "no result"
            lines.append(
                write_table_row([escape_markdown(cell.framework.name), *figures, verdicts])
            )
    explained = (
        "Estimates over trials with 95 % intervals in brackets, or the values of fewer than three "
        "trials."
    )
    return "\n".join([*lines, "", explained, ""])


def _figure(cell: CellOut, metric: Metric) -> str:
    found = cell.summary.get(metric)
    if found is None:
        return "–"
    figures = (found.estimate, found.low, found.high, found.unit, found.values)
    return format_estimate(*figures, is_bound=found.is_bound)
