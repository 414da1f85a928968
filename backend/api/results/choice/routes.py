"""GET /choice: one recommendation among frameworks, and what it is based on."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import Path, Response
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.choice.reading import ChoiceQueryDep
from backend.api.results.choice.schemas import ChoiceCellOut, ChoiceOut
from backend.api.results.choice.views import choice_out
from backend.core.csv_rows import write_csv_row
from backend.core.markdown import escape_markdown, write_table_row
from backend.core.numbers import format_estimate
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.choose.service import ChoiceQuery, choose
from backend.core.units import METRICS


class ChoiceSuffix(StrEnum):
    JSON = "json"
    CSV = "csv"
    MD = "md"


MEDIA_TYPES = {
    ChoiceSuffix.JSON: "application/json",
    ChoiceSuffix.CSV: "text/csv",
    ChoiceSuffix.MD: "text/markdown",
}

EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "model": ChoiceOut,
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "text/markdown": {"schema": {"type": "string"}},
        },
    }
}


def render(choice: ChoiceOut, suffix: ChoiceSuffix) -> str:
    """Return the text of a choice as a file."""
    if suffix is ChoiceSuffix.JSON:
        return choice.model_dump_json()
    return _csv(choice) if suffix is ChoiceSuffix.CSV else _markdown(choice)


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
        return cell.words
    own = cell.estimate
    text = format_estimate(
        own.estimate, own.low, own.high, own.unit, own.values, is_bound=own.is_bound
    )
    return ", ".join(filter(None, [text, cell.words]))


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


router = NounRouter(prefix="/choice", tags=["choice"], dependencies=[needs(Permission.OPEN)])


@router.get("", response_model=ChoiceOut, responses=problems(404, 422) | NOT_MODIFIED)
async def get_choice(responder: ResponderDep, query: ChoiceQueryDep) -> Response:
    """Recommend a framework by what matters, from valid results of equal conditions.

    The most important criterion decides. Where frameworks are equivalent by it, the next one does.
    Where they cannot be told apart yet, nothing is recommended.
    """
    return await responder.respond_in_turn(_show_choice, query)


def _show_choice(session: Session, viewer: Viewer, query: ChoiceQuery) -> ChoiceOut:
    return choice_out(choose(session, viewer, query))


@router.get(
    "/export.{suffix}",
    response_class=Response,
    responses=problems(404, 422) | NOT_MODIFIED | EXPORTED,
)
async def export_choice(
    responder: ResponderDep, query: ChoiceQueryDep, suffix: Annotated[ChoiceSuffix, Path()]
) -> Response:
    """Return the recommendation and its table as a file."""
    media_type = MEDIA_TYPES[suffix]
    return await responder.respond_in_turn(_export, query, suffix, media_type=media_type)


def _export(session: Session, viewer: Viewer, query: ChoiceQuery, suffix: ChoiceSuffix) -> bytes:
    return render(_show_choice(session, viewer, query), suffix).encode()
