"""The answer of a run as HTML, which needs no JavaScript, and as JSON for the page's scripts."""

from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from backend.api.results.answers.views import Answer
from backend.api.results.sharing.colours import SERIES, marker_path

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent / "templates"
# Their lines are groups of the run.
_OF_GROUPS = frozenset({"scenarios", "sweep"})


def render_run_page(answer: Answer) -> str:
    """Return the content of the page of a run: the frame of the app, and the answer."""
    return _templates().get_template("run_page.html.jinja").render(answer=answer)


def render_exported_page(answer: Answer, origin: str) -> str:
    """Return the content of an exported file.

    Args:
        origin: of this installation, for links.
    """
    template = _templates().get_template("exported_page.html.jinja")
    return template.render(answer=answer, origin=origin)


def embed_answer(answer: Answer, name: str) -> str:
    """Return the script element that holds the answer as JSON; browsers do not execute it.

    Args:
        name: id or slug of the run, as in the address of the page.
    """
    # JSON may have "<" only in strings, where an escape stands for it. So nothing ends the element.
    content = answer.model_dump_json().replace("<", "\\u003c")
    element = f'type="application/json" id="tacho-answer" data-run="{escape(name)}"'
    return f"<script {element}>{content}</script>"


@cache
def _templates() -> "Environment":
    # Imported for the first page, because it would make each start of the API longer.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    templates = Environment(
        autoescape=True,
        loader=FileSystemLoader(_FOLDER),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    templates.globals |= {
        "marker_path": marker_path,
        "series_variable": _series_variable,
        "rows_title": _title_rows,
        "warning_summary": _summarise_warnings,
    }
    return templates


def _series_variable(colour: int) -> str:
    return f"var(--tacho-series-{colour % len(SERIES)})"


def _summarise_warnings(answer: Answer) -> str:
    """Return the one line of warnings; the reason of an unusable run is shown elsewhere."""
    if answer.outcome != "not_usable" and answer.reason:
        return answer.reason
    return " ".join(warning.summary for warning in answer.warnings)


def _title_rows(answer: Answer) -> str:
    """Return the metric of the rows; if the run has several groups, also which one they are of."""
    labels = {line.group: line.label for line in reversed(answer.lines)}
    label = labels.get(answer.group or "") if answer.kind in _OF_GROUPS else None
    return f"{answer.metric_title} · {label}" if label else f"{answer.metric_title}"
