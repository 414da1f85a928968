"""/comparisons: compare results of any runs, and save a comparison as a snapshot."""

import hashlib
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from sqlalchemy.orm import Session

from backend.addresses import snapshot_page
from backend.api.deps import LargeRead, SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.follow_ups import follow_ups
from backend.api.http.negotiation import has_etag
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, IfNoneMatch, ResponderDep
from backend.api.results.comparisons import export
from backend.api.results.comparisons.schemas import (
    MOST_CELLS,
    ComparisonCharts,
    ComparisonIn,
    ComparisonOut,
    SnapshotOut,
    SnapshotRef,
)
from backend.api.results.comparisons.views import charts_out, comparison_out
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results import snapshots
from backend.core.results.cell_charts import read_charts
from backend.core.results.results import select_cells, select_results

router = NounRouter(prefix="/comparisons", tags=["comparisons"])

Cells = Annotated[
    list[UUID],
    Query(
        min_length=1,
        max_length=MOST_CELLS,
        description="Cells of one or more finished runs.",
    ),
]
Hash = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{64}$",
        examples=["2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"],
    ),
]


@router.get(
    "",
    response_model=ComparisonOut,
    responses=problems(422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def compare(
    responder: ResponderDep,
    cells: Cells,
    baseline: Annotated[
        UUID | None,
        Query(description="One of the cells. Default: the first cell that is not excluded."),
    ] = None,
) -> Response:
    """Compare results with a baseline. Nothing is saved."""
    return await responder.respond_in_turn(_show_comparison, tuple(cells), baseline)


def _show_comparison(
    session: Session, viewer: Viewer, cells: Sequence[UUID], baseline: UUID | None
) -> ComparisonOut:
    return comparison_out(*select_results(session, cells, baseline, viewer))


@router.get(
    "/charts",
    response_model=ComparisonCharts,
    responses=problems(422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def compare_charts(responder: ResponderDep, cells: Cells) -> Response:
    """Return the data of a comparison's charts: distributions, seconds, steps."""
    return await responder.respond_in_turn(_show_charts, tuple(cells))


def _show_charts(session: Session, viewer: Viewer, cells: Sequence[UUID]) -> ComparisonCharts:
    return charts_out(read_charts(session, select_cells(session, cells, viewer)))


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Permission.RUN), LargeRead],
    responses=problems(401, 413, 422)
    | follow_ups(201, "comparison_hash", "hash", "get_snapshot", "export_snapshot"),
)
def save_snapshot(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    body: ComparisonIn,
    response: Response,
) -> SnapshotRef:
    """Save all that a comparison shows as a snapshot. The same content always has the same hash.

    A snapshot does not change when data is deleted or code changes later.
    """
    results, baseline = select_results(session, body.cells, body.baseline, viewer)
    document = SnapshotOut(
        comparison=comparison_out(results, baseline),
        charts=charts_out(read_charts(session, [result.summary.cell_id for result in results])),
    )
    runs = [result.run for result in results]
    digest = snapshots.save(session, workspace_id, document.model_dump(mode="json"), runs)
    response.headers["Location"] = f"/api/v1/comparisons/{digest}"
    return SnapshotRef(hash=digest, permalink=snapshot_page(digest))


@router.get(
    "/{comparison_hash}",
    responses=problems(404, 422) | NOT_MODIFIED | {200: {"model": SnapshotOut}},
    dependencies=[needs(Permission.OPEN)],
)
def get_snapshot(
    session: SessionDep,
    viewer: ViewerDep,
    comparison_hash: Hash,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Return a snapshot by the SHA-256 that its document had when it was saved."""
    found = snapshots.get_snapshot(session, comparison_hash, viewer)
    headers = {
        # An upgrade renames fields of documents, but not their hash.
        "ETag": f'"{hashlib.sha256(found.document.encode()).hexdigest()}"',
        "Vary": "Authorization, Cookie, Tacho-Workspace",
    }
    if has_etag(if_none_match, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(found.document, media_type="application/json", headers=headers)


@router.get(
    "/{comparison_hash}/export.{suffix}",
    response_class=Response,
    dependencies=[needs(Permission.OPEN), LargeRead],
    responses=problems(404, 422) | export.EXPORTED,
)
def export_snapshot(
    session: SessionDep, viewer: ViewerDep, comparison_hash: Hash, suffix: export.SnapshotSuffix
) -> Response:
    """Export a snapshot as JSON, as CSV with one row per cell and metric, or as Markdown."""
    found = snapshots.get_snapshot(session, comparison_hash, viewer)
    text, media_type = export.render(found.hash, found.document, suffix)
    name = f"tacho-comparison-{found.hash[:12]}.{suffix.value}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=media_type, headers=headers)
