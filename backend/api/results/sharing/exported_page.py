"""A run as one HTML file that works offline: the page of exported runs with the API's responses."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from html import escape
from itertools import chain
from urllib.parse import quote

from sqlalchemy.orm import Session

from backend.api.measurement.metrics import metric_page
from backend.api.measurement.trials.views import (
    read_cell_latency,
    trial_detail,
    write_samples,
)
from backend.api.operations.hosts.schemas import HostState
from backend.api.operations.hosts.views import read_host
from backend.api.results.answers.views import Answer, answer_out
from backend.api.results.rankings import rankings_out
from backend.api.results.run_charts import read_run_charts
from backend.api.results.sharing.answer_card import render_exported_page
from backend.api.results.sharing.page import ROOT_ELEMENT
from backend.api.runs.schemas import CellOut, RunOut, TrialOut
from backend.api.runs.views import are_seconds_stored
from backend.core.catalog import repository as catalog
from backend.core.config import ASSETS
from backend.core.errors import Unavailable
from backend.core.models import Trial
from backend.core.people.access.viewer import PUBLIC
from backend.core.results.run_results.service import RunResults
from backend.core.statuses import TrialStatus
from backend.core.units import Metric

# Built from frontend/export.html; see frontend/vite.config.ts.
PAGE = ASSETS / "frontend" / "dist" / "export.html"
_TITLE = "<title>Tacho</title>"
# The card of the run and the responses about it.
_RUN = "<!-- run -->"
_PIECE_LENGTH = 256 * 1024
_API = "/api/v1"

# A piece of an export that is written with what it reads from the database.
Part = Callable[[Session], str]
# A piece of an export, which may be constant.
Piece = str | Part


def list_pieces(run: RunOut, results: RunResults, origin: str) -> Iterator[Piece]:
    """Return the pieces of the file in their order. Each holds the responses about one
    subject, or a part of the page.

    Args:
        origin: of this installation, for the links of the page.

    Raises:
        Unavailable: the page is not built.
    """
    before, program, after = _read_page(_built_at())
    answer = answer_out(results)
    card = ROOT_ELEMENT.replace("><", f">{render_exported_page(answer, origin)}<")
    return chain(
        [before + _head(run, origin)],
        (program[begin : begin + _PIECE_LENGTH] for begin in range(0, len(program), _PIECE_LENGTH)),
        [card],
        _list_responses(run, results, answer),
        [after],
    )


def _built_at() -> float:
    try:
        return PAGE.stat().st_mtime
    except FileNotFoundError as error:
        detail = "The web UI is not built, and the HTML export is a page of it. Run `make up`."
        raise Unavailable(detail) from error


# All exports share one copy. A rebuild has another time.
@lru_cache(maxsize=1)
def _read_page(_built_at: float) -> tuple[str, str, str]:
    """Return the page before its title, from there to the place of the run, and the rest."""
    before, _, rest = PAGE.read_text().partition(_TITLE)
    program, _, after = rest.partition(_RUN)
    return before, program, after


def _head(run: RunOut, origin: str) -> str:
    return (
        f"<title>{escape(run.title)} · Tacho</title>\n"
        f'    <meta name="tacho-origin" content="{escape(origin)}" />\n'
        f'    <link rel="canonical" href="{escape(origin + run.permalink)}" />'
    )


def _list_responses(run: RunOut, results: RunResults, answer: Answer) -> Iterator[Part]:
    """Return the responses that the page requests for this run, as anonymous visitors get them."""
    path = f"/runs/{run.slug}"
    # A pending finalization is not part of the result.
    shown = run.model_copy(update={"finalization_failure": None})
    yield _response(path, lambda _: shown.model_dump_json())
    yield _response(f"{path}/answer", lambda _: answer.model_dump_json())
    yield _response("/metrics", lambda _: metric_page().model_dump_json())
    yield _response(f"/hosts/{quote(run.host, safe='')}", partial(_host, run=run))
    for metric in (None, *Metric):
        query = f"?metric={metric}" if metric else ""
        yield _response(f"{path}/ranking{query}", partial(_ranking, results=results, metric=metric))
    yield _response(
        f"{path}/charts", lambda session: read_run_charts(session, results.run).model_dump_json()
    )
    for cell in run.cells:
        if cell.trials_succeeded:
            yield _response(f"/cells/{cell.id}/latency", partial(_latency, cell=cell))
    has_seconds = are_seconds_stored(run)
    for trial, stored in zip(run.trials, results.run.trials, strict=True):
        if trial.status == TrialStatus.SUCCEEDED:
            yield partial(_trial, trial=trial, stored=stored, has_seconds=has_seconds)


def _latency(session: Session, *, cell: CellOut) -> str:
    return read_cell_latency(session, cell.id).model_dump_json()


def _trial(session: Session, *, trial: TrialOut, stored: Trial, has_seconds: bool) -> str:
    path = f"/trials/{trial.id}"
    responses = {path: trial_detail(stored, trial.metrics).model_dump_json()}
    if has_seconds:
        samples = write_samples(session, trial.id)
        responses[f"{path}/series?phase=all"] = f'{{"samples":{samples}}}'
    return "".join(_script(path, content) for path, content in responses.items())


def _host(session: Session, *, run: RunOut) -> str:
    host = read_host(session, catalog.get_host(session, run.host), PUBLIC)
    # The state of the host at the time of the export is not part of the result.
    at_rest = {
        "state": HostState.OFFLINE,
        "queued_trials": 0,
        "current_run_id": None,
        "seen_at": run.finished_at or run.created_at,
    }
    return host.model_copy(update=at_rest).model_dump_json()


def _ranking(_: Session, *, results: RunResults, metric: Metric | None) -> str:
    return rankings_out(results.rank(metric)).model_dump_json()


def _response(path: str, write: Part) -> Part:
    return lambda session: _script(path, write(session))


def _script(path: str, content: str) -> str:
    # JSON may have "<" only in strings, where an escape stands for it. So nothing ends the element.
    escaped = content.replace("<", "\\u003c")
    whole = escape(_API + path)
    return f'<script type="application/json" data-path="{whole}">{escaped}</script>\n    '
