"""Pages of runs outside the REST contract: the permalink with its preview, and the picture."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from backend.api.access.origin import find_origin
from backend.api.answers.views import answer_out
from backend.api.deps import LargeRead, SessionDep, ViewerDep, needs
from backend.api.http.page_policy import protect
from backend.api.runs.deps import RunDep, find_readable
from backend.api.schemas import Name
from backend.api.sharing.page import fill_body, fill_head
from backend.api.sharing.preview import draw_preview, to_png
from backend.core.access.permissions import Permission
from backend.core.access.viewer import PUBLIC
from backend.core.errors import NotFound
from backend.core.run_results.service import RunResults, read_run_results
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.visibility import may_open
from backend.core.units import Metric

# Only the title and the visibility of a finished run can change.
_KEPT_SECONDS = 300
_RANKED_BY = {"metric", "baseline"}


def pages(index: Path) -> APIRouter:
    """The routes; `index` is the built single page."""
    router = APIRouter(include_in_schema=False, dependencies=[needs(Permission.OPEN)])

    @router.api_route("/r/{run_id}", methods=["GET", "HEAD"], dependencies=[LargeRead])
    @router.api_route("/runs/{run_id}", methods=["GET", "HEAD"], dependencies=[LargeRead])
    def show_run(
        session: SessionDep, viewer: ViewerDep, request: Request, run_id: str
    ) -> HTMLResponse:
        """Return the single page, with the answer of the run if the caller may see it."""
        page, status = index.read_text(), 200
        if request.url.path != "/runs/new":
            try:
                results = read_run_results(session, find_readable(session, run_id, viewer))
                page = index.with_name("run-page.html").read_text()
                page = fill_head(page, results, find_origin(request))
                page = fill_body(
                    page,
                    answer_out(results),
                    run_id,
                    _read_links(index, results),
                    has_own_ranking=not _RANKED_BY.isdisjoint(request.query_params),
                )
            except NotFound:
                status = 404
        # The page depends on the session.
        headers = {"Cache-Control": "no-cache", "Vary": "Authorization, Cookie, Tacho-Workspace"}
        response = HTMLResponse(page, status, headers)
        protect(response.headers, request.url.path)
        return response

    @router.get("/r/{run_id}/preview.png", dependencies=[LargeRead])
    def draw_run(
        session: SessionDep,
        run: RunDep,
        group: Annotated[Name | None, Query()] = None,
        metric: Annotated[Metric | None, Query()] = None,
    ) -> Response:
        """Return a picture of a result. Default: the first group by its main metric."""
        kept = run.status in RUN_ENDS and may_open(PUBLIC, run.workspace_id, run.visibility)
        cache = f"public, max-age={_KEPT_SECONDS}" if kept else "no-cache"
        return Response(
            to_png(draw_preview(read_run_results(session, run), group, metric)),
            media_type="image/png",
            headers={"Cache-Control": cache},
        )

    return router


def _read_links(index: Path, results: RunResults) -> str:
    """Return the elements that load the code of charts early, if the page begins with a chart.

    The page of a sweep does. The build of the frontend writes them (frontend/run-page.ts).
    """
    if not results.blocks or results.blocks[0].parameter is None:
        return ""
    return index.with_name("first-chart-links.html").read_text().strip()
