"""Pages outside the REST contract: those of runs and choices with their previews, and pictures."""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from backend.api.access.origin import find_origin
from backend.api.deps import LargeRead, SessionDep, needs
from backend.api.http.edge import allow_scripts, mark_as_public
from backend.api.responder import HTML, ResponderDep
from backend.api.results.answers.views import answer_out
from backend.api.results.choice.reading import ChoiceQueryDep, read_query
from backend.api.results.choice.views import choice_out
from backend.api.results.sharing.page import fill_body, fill_choice_head, fill_head
from backend.api.results.sharing.preview import draw_choice, draw_preview, to_png
from backend.api.runs.deps import RunDep, get_readable
from backend.api.schemas import Name
from backend.core.errors import InvalidRequest, NotFound
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import PUBLIC, Viewer
from backend.core.results.choose.service import ChoiceQuery, choose
from backend.core.results.run_results.service import read_run_results
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.visibility import may_open
from backend.core.units import Metric

_SCRIPT_INSIDE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@dataclass(frozen=True)
class BuiltPage:
    """The files from which the page of a run is made.

    Attributes:
        page: the HTML without a run.
        chart_links: elements that load the code of charts early.
        scripts: digests of the scripts inside the page, for its content security policy.
    """

    page: str
    chart_links: str
    scripts: tuple[str, ...]


def read_built_page(folder: Path) -> BuiltPage:
    """Return the page in this folder, which is read again only after another build."""
    return _read(folder, (folder / "run-page.html").stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(folder: Path, _built_at: int) -> BuiltPage:
    page = (folder / "run-page.html").read_text()
    links = (folder / "first-chart-links.html").read_text().strip()
    return BuiltPage(
        page,
        links,
        scripts=tuple(_digest(script) for script in _SCRIPT_INSIDE.findall(page)),
    )


def _digest(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


async def draw_the_choice(responder: ResponderDep, query: ChoiceQueryDep) -> Response:
    """Return a picture of the recommendation for a choice."""
    return await responder.respond_in_turn(_draw_picture, query, media_type="image/png")


def draw_run(
    session: SessionDep,
    run: RunDep,
    request: Request,
    group: Annotated[Name | None, Query()] = None,
    metric: Annotated[Metric | None, Query()] = None,
) -> Response:
    """Return a picture of a result. Default: the first group by its main metric."""
    if run.status in RUN_ENDS and may_open(PUBLIC, run.workspace_id, run.visibility):
        mark_as_public(request)
    picture = to_png(draw_preview(read_run_results(session, run), group, metric))
    return Response(picture, media_type="image/png")


def pages(index: Path) -> APIRouter:
    """The routes; `index` is the built single page."""
    router = APIRouter(include_in_schema=False, dependencies=[needs(Permission.OPEN)])
    router.add_api_route("/choose/preview.png", draw_the_choice)
    router.add_api_route("/r/{run_id}/preview.png", draw_run, dependencies=[LargeRead])

    @router.api_route("/r/{run_id}", methods=["GET", "HEAD"])
    @router.api_route("/runs/{run_id}", methods=["GET", "HEAD"])
    async def show_run(
        responder: ResponderDep,
        request: Request,
        run_id: str,
        metric: str | None = None,
        baseline: str | None = None,
    ) -> Response:
        """Return the single page, with the answer of the run if the caller may see it."""
        has_own_ranking = metric is not None or baseline is not None
        path, status = request.url.path, 200
        if path != "/runs/new":
            built = read_built_page(index.parent)
            try:
                response = await responder.respond_in_turn(
                    _draw_page,
                    run_id,
                    find_origin(request),
                    built,
                    has_own_ranking,
                    media_type=HTML,
                )
            except NotFound:
                status = 404
            else:
                allow_scripts(request, built.scripts)
                return response
        return _respond_without_run(index, status)

    @router.api_route("/choose", methods=["GET", "HEAD"])
    async def show_choice(
        responder: ResponderDep,
        request: Request,
        scenario: str | None = None,
        frameworks: str | None = None,
        language: str | None = None,
        criteria: str | None = None,
        load: str | None = None,
        host: str | None = None,
    ) -> Response:
        """Return the page *Choose*, with the recommendation for the choice in its address."""
        if scenario is None:
            return _respond_without_run(index, 200)
        try:
            query = read_query(scenario, frameworks, language, criteria, load, host)
            url = f"{find_origin(request)}{request.url.path}?{request.url.query}"
            return await responder.respond_in_turn(_draw_choice, query, url, index, media_type=HTML)
        except (InvalidRequest, NotFound):
            # The page explains what is wrong.
            return _respond_without_run(index, 200)

    return router


def _respond_without_run(index: Path, status: int) -> Response:
    # Whether there is a run depends on the session.
    headers = {"Vary": "Authorization, Cookie, Tacho-Workspace"}
    return HTMLResponse(index.read_text(), status, headers)


def _draw_choice(
    session: Session, viewer: Viewer, query: ChoiceQuery, url: str, index: Path
) -> bytes:
    choice = choice_out(choose(session, viewer, query))
    return fill_choice_head(index.read_text(), choice, url).encode()


def _draw_picture(session: Session, viewer: Viewer, query: ChoiceQuery) -> bytes:
    return to_png(draw_choice(choose(session, viewer, query)))


def _draw_page(
    session: Session,
    viewer: Viewer,
    name: str,
    origin: str,
    built: BuiltPage,
    has_own_ranking: bool,
) -> bytes:
    """Return the page of a run.

    Args:
        name: id or slug of the run.
        has_own_ranking: whether the address selects another metric or baseline than the default.
    """
    results = read_run_results(session, get_readable(session, viewer, name))
    answer = answer_out(results)
    page = fill_head(built.page, results, answer, origin)
    # The page of a sweep begins with a chart.
    is_sweep = bool(results.blocks) and results.blocks[0].parameter is not None
    links = built.chart_links if is_sweep else ""
    return fill_body(page, answer, name, links, has_own_ranking=has_own_ranking).encode()
