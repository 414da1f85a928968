"""GET /choice: one recommendation among frameworks, and what it is based on."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Path, Query, Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.addresses import run_page
from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.comparisons.schemas import MetricRatioOut
from backend.api.results.comparisons.views import ratio_out
from backend.api.schemas import FrameworkRef, MetricSummary, Name, ScenarioRef, Schema, VerdictOut
from backend.api.views import colours_of, framework_ref, metric_summary, verdict_out
from backend.core.csv_rows import write_csv_row
from backend.core.errors import InvalidRequest
from backend.core.markdown import escape_markdown, write_table_row
from backend.core.models import Framework
from backend.core.numbers import format_estimate
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.cell_result import CellResult
from backend.core.results.choose.criteria import Criterion
from backend.core.results.choose.missing import Availability, ChoiceColumn
from backend.core.results.choose.recommendation import Recommended
from backend.core.results.choose.service import ChoiceQuery, FrameworkChoice, choose
from backend.core.results.loads import describe_parameter, list_load_parts
from backend.core.results.ranking.metric_words import find_words
from backend.core.units import METRICS, Direction, Metric, Verdict

router = NounRouter(prefix="/choice", tags=["choice"], dependencies=[needs(Permission.OPEN)])

_MOST_FRAMEWORKS = 40


class ChoiceColumnOut(Schema):
    """A criterion and the load by which it is judged."""

    criterion: Criterion
    metric: Metric
    title: str = Field(examples=["Latency p99"])
    unit: str
    direction: Direction
    load: str | None = Field(
        examples=["400 req/s for 30 s · upstream 1 000 ms"],
        description="Load of all results of the column. Null without results.",
    )
    runtime: str | None
    sentences: list[str] = Field(description="The ranking by this criterion. Empty without one.")


class ChoiceCellOut(Schema):
    """The result of a framework by a criterion, or why there is none."""

    criterion: Criterion
    availability: Availability
    estimate: MetricSummary | None
    rank: int | None = Field(description="1 + the number of better frameworks (Holm-corrected).")
    to_best: MetricRatioOut | None = Field(description="Ratio to the best. Null for the best.")
    verdicts: list[VerdictOut]
    cell_id: UUID | None
    permalink: str | None = Field(examples=["/r/k3v9q2mx4d"])
    at: datetime | None = Field(description="Creation time of the run.")


class ChoiceRowOut(Schema):
    framework: FrameworkRef
    cells: list[ChoiceCellOut] = Field(description="In the order of the columns.")


class ChoiceRunOut(Schema):
    """The run that measures what is missing, or what cannot be told apart yet."""

    label: str = Field(examples=["Measure 4 missing results"])
    plan: dict[str, Any] = Field(description="Body of `POST /runs`.")
    seconds: float = Field(description="Longest duration, without builds.")


class ChoiceParameterOut(Schema):
    name: str = Field(examples=["rate_rps"])
    title: str = Field(examples=["Rate"])
    unit: str = Field(examples=["req/s"])
    values: list[int] = Field(description="Values that loads of these frameworks' results have.")


class ChoiceOut(Schema):
    scenario: ScenarioRef
    host: str | None = Field(description="Host of all results. Null without results.")
    hosts: list[str] = Field(description="Hosts with results of the scenario, by name.")
    parameters: list[ChoiceParameterOut] = Field(
        description="The parameters that distinguish loads of the scenario."
    )
    outcome: Recommended
    best: list[str] = Field(
        description="Slug of the recommended framework, or of those that are equivalent or cannot "
        "be told apart yet."
    )
    headline: str = Field(
        examples=["Choose Node.js: it is fastest by latency p99, 1.3× faster than Quarkus REST"]
    )
    sentences: list[str] = Field(description="How sure the recommendation is.")
    against: list[str] = Field(description="Reasons against the recommended framework.")
    missing: list[str] = Field(description="Which frameworks have no result, and why.")
    columns: list[ChoiceColumnOut]
    rows: list[ChoiceRowOut]
    run: ChoiceRunOut | None = Field(description="Null if nothing is missing and all is decided.")


def read_query(
    scenario: Annotated[Name, Query(examples=["slow-upstream"])],
    frameworks: Annotated[
        str | None,
        Query(
            max_length=2_000,
            examples=["spring-mvc,quarkus-rest,node"],
            description="Slugs of at least two frameworks, separated by commas.",
        ),
    ] = None,
    language: Annotated[
        Name | None,
        Query(
            examples=["java"],
            description="Instead of `frameworks`: all of a language that implement the scenario.",
        ),
    ] = None,
    criteria: Annotated[
        str | None,
        Query(
            max_length=200,
            examples=["latency,rate"],
            description="The criteria that matter, the most important first. Default: all, in the "
            f"order {', '.join(Criterion)}.",
        ),
    ] = None,
    load: Annotated[
        str | None,
        Query(
            max_length=1_000,
            examples=["rate_rps:500,delay_ms:1000"],
            description="Values that loads must have, where they have the parameter.",
        ),
    ] = None,
    host: Annotated[Name | None, Query(description="Default: the host with the most results.")] = (
        None
    ),
) -> ChoiceQuery:
    """Return the query of a choice; raise InvalidRequest with every mistake."""
    faults: list[dict[str, str]] = []
    slugs = _split(frameworks)
    if not slugs and language is None:
        faults.append(_fault("frameworks", "Name at least two frameworks, or a language."))
    if len(slugs) > _MOST_FRAMEWORKS:
        faults.append(_fault("frameworks", f"Name at most {_MOST_FRAMEWORKS} frameworks."))
    wanted: list[Criterion] = []
    for word in _split(criteria):
        try:
            wanted.append(Criterion(word))
        except ValueError:
            detail = f"{word!r} is not a criterion. Use {', '.join(Criterion)}."
            faults.append(_fault("criteria", detail))
    parameters: dict[str, int] = {}
    for part in _split(load):
        name, _, value = part.partition(":")
        if value.isascii() and value.isdigit() and len(value) <= 9:
            parameters[name] = int(value)
        else:
            faults.append(_fault("load", f"Write {part!r} as a name and a number: rate_rps:500."))
    if faults:
        raise InvalidRequest.of(faults)
    return ChoiceQuery(
        scenario=scenario,
        frameworks=tuple(slugs),
        language=language,
        criteria=tuple(dict.fromkeys(wanted)) or tuple(Criterion),
        parameters=tuple(parameters.items()),
        host=host,
    )


def _split(text: str | None) -> list[str]:
    return [part for part in (piece.strip() for piece in (text or "").split(",")) if part]


def _fault(field: str, detail: str) -> dict[str, str]:
    return {"field": field, "detail": detail}


_Asked = Annotated[ChoiceQuery, Depends(read_query)]


@router.get("", response_model=ChoiceOut, responses=problems(404, 422) | NOT_MODIFIED)
async def get_choice(responder: ResponderDep, query: _Asked) -> Response:
    """Recommend a framework by what matters, from valid results of equal conditions.

    The most important criterion decides. Where frameworks are equivalent by it, the next one does.
    Where they cannot be told apart yet, nothing is recommended.
    """
    return await responder.respond_in_turn(_show_choice, query)


def _show_choice(session: Session, viewer: Viewer, query: ChoiceQuery) -> ChoiceOut:
    return choice_out(choose(session, viewer, query))


class ChoiceSuffix(StrEnum):
    JSON = "json"
    CSV = "csv"
    MD = "md"


_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "model": ChoiceOut,
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "text/markdown": {"schema": {"type": "string"}},
        },
    }
}


@router.get(
    "/export.{suffix}",
    response_class=Response,
    responses=problems(404, 422) | NOT_MODIFIED | _EXPORTED,
)
async def export_choice(
    responder: ResponderDep, query: _Asked, suffix: Annotated[ChoiceSuffix, Path()]
) -> Response:
    """Return the recommendation and its table as a file."""
    media_type = _MEDIA_TYPES[suffix]
    return await responder.respond_in_turn(_export, query, suffix, media_type=media_type)


_MEDIA_TYPES = {
    ChoiceSuffix.JSON: "application/json",
    ChoiceSuffix.CSV: "text/csv",
    ChoiceSuffix.MD: "text/markdown",
}


def _export(session: Session, viewer: Viewer, query: ChoiceQuery, suffix: ChoiceSuffix) -> bytes:
    found = _show_choice(session, viewer, query)
    if suffix is ChoiceSuffix.JSON:
        return found.model_dump_json().encode()
    return (_csv(found) if suffix is ChoiceSuffix.CSV else _markdown(found)).encode()


def choice_out(choice: FrameworkChoice) -> ChoiceOut:
    """Return a choice as the API shows it."""
    found = choice.recommendation
    colours = colours_of(choice.frameworks)
    return ChoiceOut.of(
        choice,
        parameters=[
            ChoiceParameterOut(name=name, values=list(values), **describe_parameter(name)._asdict())
            for name, values in choice.parameters.items()
        ],
        outcome=found.outcome,
        best=list(found.best),
        headline=found.headline,
        sentences=list(found.sentences),
        against=list(found.against),
        columns=[_column_out(column) for column in choice.columns],
        rows=[
            ChoiceRowOut(
                framework=framework_ref(framework, colours),
                cells=[_cell_out(column, framework) for column in choice.columns],
            )
            for framework in _sort(choice)
        ],
    )


def _sort(choice: FrameworkChoice) -> list[Framework]:
    """Return the frameworks by their rank in the first column that has one, then as named."""

    def place(framework: Framework) -> list[int]:
        entries = [column.ranked.find(framework.slug) for column in choice.columns]
        return [entry.rank if entry and entry.rank else len(choice.frameworks) for entry in entries]

    return sorted(choice.frameworks, key=place)


def _column_out(column: ChoiceColumn) -> ChoiceColumnOut:
    info, used = column.ranked.info, column.reference
    load = None if used is None else list_load_parts(used.kind, used.summary.parameters)
    return ChoiceColumnOut(
        criterion=column.ranked.criterion,
        metric=info.metric,
        title=info.title,
        unit=info.unit,
        direction=info.direction,
        load=None if load is None else " · ".join(load),
        runtime=None if used is None else used.summary.runtime,
        sentences=list(column.ranked.sentences) if column.ranked.entries else [],
    )


def _cell_out(column: ChoiceColumn, framework: Framework) -> ChoiceCellOut:
    entry = column.ranked.find(framework.slug)
    result: CellResult | None = entry.result if entry else column.excluded.get(framework.slug)
    metric = column.ranked.metric
    estimate = result.estimates.get(metric) if result else None
    return ChoiceCellOut(
        criterion=column.ranked.criterion,
        availability=column.availability[framework.slug],
        estimate=metric_summary(metric, estimate) if estimate else None,
        rank=entry.rank if entry else None,
        to_best=ratio_out(entry.to_best, find_words(metric)) if entry and entry.to_best else None,
        verdicts=[
            verdict_out(Verdict(own["verdict"]), own["detail"], own["trials"])
            for own in (result.summary.verdicts if result else ())
        ],
        cell_id=result.summary.cell_id if result else None,
        permalink=run_page(result.run.slug) if result else None,
        at=result.summary.at if result else None,
    )


_WORDS: Mapping[Availability, str] = {
    Availability.MEASURED: "",
    Availability.FEW: "too few trials",
    Availability.EXCLUDED: "excluded",
    Availability.ELSEWHERE: "measured under other conditions",
    Availability.MISSING: "not measured",
    Availability.UNABLE: "not implemented",
}


def _markdown(found: ChoiceOut) -> str:
    """Return the recommendation, and a row for each framework."""
    heads = [f"{column.title} ({METRICS[column.metric].unit})" for column in found.columns]
    lines = [f"# {escape_markdown(found.headline)}", ""]
    for sentence in (*found.sentences, *found.against, *found.missing):
        lines += [escape_markdown(sentence), ""]
    lines += [write_table_row(["", *heads]), write_table_row(["---", *["---:"] * len(heads)])]
    for row in found.rows:
        cells = [escape_markdown(_show(cell)) for cell in row.cells]
        lines.append(write_table_row([escape_markdown(row.framework.name), *cells]))
    for column in found.columns:
        load = escape_markdown(column.load or "no results")
        lines += ["", f"{column.title}: {load}."]
    lines += ["", f"{escape_markdown(found.scenario.name)}, {escape_markdown(found.host or '–')}."]
    return "\n".join(lines) + "\n"


def _show(cell: ChoiceCellOut) -> str:
    if cell.estimate is None:
        return _WORDS[cell.availability]
    own = cell.estimate
    text = format_estimate(
        own.estimate, own.low, own.high, own.unit, own.values, is_bound=own.is_bound
    )
    return ", ".join(filter(None, [text, _WORDS[cell.availability]]))


_HEAD = (
    *("framework", "scenario", "host", "criterion", "metric", "unit", "load", "availability"),
    *("estimate", "low", "high", "n", "rank", "permalink"),
)


def _csv(found: ChoiceOut) -> str:
    """Return a row for each framework and criterion."""
    lines = [write_csv_row(_HEAD)]
    for row in found.rows:
        for cell, column in zip(row.cells, found.columns, strict=True):
            own = cell.estimate
            figures = (own.estimate, own.low, own.high, own.n) if own else [None] * 4
            lines.append(
                write_csv_row(
                    [
                        *(row.framework.slug, found.scenario.slug, found.host),
                        *(cell.criterion, column.metric, column.unit, column.load),
                        cell.availability,
                        *figures,
                        cell.rank,
                        cell.permalink,
                    ]
                )
            )
    return "".join(lines)
