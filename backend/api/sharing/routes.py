"""Pages of runs outside the REST contract: the permalink with its preview, and the picture."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from backend.api.deps import LargeRead, SessionDep, TrustedDep
from backend.api.http.page_policy import protect
from backend.api.runs.deps import RunDep, find_readable
from backend.api.schemas import Name
from backend.api.sharing.page import fill_head
from backend.api.sharing.preview import draw_preview, to_png
from backend.core.errors import NotFound
from backend.core.run_results.service import read_run_results
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.visibility import is_readable
from backend.core.units import Metric

# Only the title and the visibility of a finished run can change.
_KEPT_SECONDS = 300


def pages(index: Path) -> APIRouter:
    """The routes; `index` is the built single page."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/r/{run_id}", methods=["GET", "HEAD"], dependencies=[LargeRead])
    @router.api_route("/runs/{run_id}", methods=["GET", "HEAD"], dependencies=[LargeRead])
    def show_run(
        session: SessionDep, trusted: TrustedDep, request: Request, run_id: str
    ) -> HTMLResponse:
        """The single page; its head describes the run if the caller may see it."""
        page, status = index.read_text(), 200
        if request.url.path != "/runs/new":
            try:
                run = find_readable(session, run_id, trusted)
                page = fill_head(
                    page, read_run_results(session, run), str(request.base_url).rstrip("/")
                )
            except NotFound:
                status = 404
        # The page depends on the session.
        headers = {"Cache-Control": "no-cache", "Vary": "Authorization, Cookie"}
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
        kept = run.status in RUN_ENDS and is_readable(run.visibility, is_trusted=False)
        cache = f"public, max-age={_KEPT_SECONDS}" if kept else "no-cache"
        return Response(
            to_png(draw_preview(read_run_results(session, run), group, metric)),
            media_type="image/png",
            headers={"Cache-Control": cache},
        )

    return router
