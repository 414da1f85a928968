"""/runs: create, follow, cancel, repeat, export and delete runs."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response
from sqlalchemy.orm import Session

from backend.api.access.origin import find_origin
from backend.api.deps import (
    CallerDep,
    Exporting,
    LargeRead,
    ResourcesDep,
    SessionDep,
    ViewerDep,
    WorkspaceDep,
    needs,
)
from backend.api.http.limits import RUN_BYTES
from backend.api.http.openapi import describe_stream
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import Cursor, PageSize, make_page, read_cursor
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs import events, export
from backend.api.runs.deps import (
    QUEUED,
    OwnRunDep,
    RunDep,
    RunHeadDep,
    RunName,
    find_readable_stream,
    get_readable,
)
from backend.api.runs.list_items import read_run_items
from backend.api.runs.schemas import (
    RunEvents,
    RunIn,
    RunListItem,
    RunOut,
    RunPatch,
)
from backend.api.runs.streaming import ExportStream
from backend.api.runs.views import new_run, results_out, run_item, run_out
from backend.api.schemas import Name, Page, Time
from backend.core.errors import Unavailable
from backend.core.operations.retention.service import archive_run as archive
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.run_results.service import read_run_results
from backend.core.runs import dependents, repository, service
from backend.core.runs.groups import create_runs
from backend.core.runs.listing import RunFilter, RunSort, SortKey, list_page
from backend.core.runs.live.event_stream import RunStream
from backend.core.statuses import RunOutcome, RunStatus, Visibility
from backend.core.units import Purpose

router = NounRouter(prefix="/runs", tags=["runs"])

EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "model": export.RunExport,
        "content": {
            "text/csv": {"schema": {"type": "string"}, "example": export.CSV_EXAMPLE},
            "text/html": {"schema": {"type": "string"}},
            "text/markdown": {"schema": {"type": "string"}, "example": export.MARKDOWN_EXAMPLE},
            "application/x-bibtex": {
                "schema": {"type": "string"},
                "example": export.BIBTEX_EXAMPLE,
            },
        },
    }
}

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[\x20-\x7e]*$",
        examples=["2026-11-20-nightly"],
        description="A repeated request with the same key and body returns the run of the first "
        "request.",
    ),
]


def _read_title(text: str) -> str:
    if "\0" in text:
        raise ValueError("A title has no null character.")
    return text


# How the cursor of each order is read.
_KEYS: dict[RunSort, Callable[[str], SortKey]] = {
    RunSort.NEWEST: datetime.fromisoformat,
    RunSort.OLDEST: datetime.fromisoformat,
    RunSort.TITLE: _read_title,
    RunSort.LONGEST: float,
}


@router.post(
    "",
    status_code=202,
    dependencies=[needs(Permission.RUN, body_bytes=RUN_BYTES)],
    responses=problems(401, 409, 413, 422) | QUEUED,
)
def create_run(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    body: RunIn,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> RunListItem:
    """Queue a run, or with `hosts` one run on each of several hosts.

    If any cell is invalid, nothing is queued. With several hosts, the response is the run of the
    first host; its `group` leads to all of them.
    """
    run = create_runs(session, workspace_id, new_run(body), idempotency_key)
    address = f"runs/{run.id}" if run.group_slug is None else f"run-groups/{run.group_slug}"
    response.headers["Location"] = f"/api/v1/{address}"
    return run_item(session, run, viewer)


@router.get(
    "",
    response_model=Page[RunListItem],
    responses=problems(422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def list_runs(
    responder: ResponderDep,
    status: RunStatus | None = None,
    outcome: RunOutcome | None = None,
    framework: Annotated[
        Name | None, Query(description="Only runs with a cell of this framework.")
    ] = None,
    scenario: Annotated[
        Name | None, Query(description="Only runs with a cell of this scenario.")
    ] = None,
    host: Annotated[
        Name | None, Query(description="Only runs on this host.", examples=["bench-01"])
    ] = None,
    requested_by: Annotated[
        Name | None,
        Query(
            description="Only runs that this person or a token of this person requested, or this "
            "other requester. Only for members of a workspace.",
            examples=["ann@example.org"],
        ),
    ] = None,
    since: Annotated[
        Time | None,
        Query(
            description="Only runs that were requested at this time or later.",
            examples=["2026-11-23T00:00:00Z"],
        ),
    ] = None,
    until: Annotated[
        Time | None,
        Query(
            description="Only runs that were requested before this time.",
            examples=["2026-11-24T00:00:00Z"],
        ),
    ] = None,
    purpose: Purpose = Purpose.COMPARISON,
    is_scheduled: Annotated[
        bool | None,
        Query(alias="scheduled", description="Only runs that schedules started, or only others."),
    ] = None,
    sort: Annotated[
        RunSort,
        Query(
            description="By time of the request, by title, or by the time from start to end. Runs "
            "that have not ended come last in the order `longest`."
        ),
    ] = RunSort.NEWEST,
    cursor: Cursor = None,
    limit: PageSize = 20,
) -> Response:
    """Return runs, newest first by default. Anonymous visitors see only public runs."""
    wanted = RunFilter(
        limit=limit,
        purpose=purpose,
        status=status,
        outcome=outcome,
        framework=framework,
        scenario=scenario,
        host=host,
        requested_by=requested_by,
        since=since,
        until=until,
        is_scheduled=is_scheduled,
        sort=sort,
        after=read_cursor(cursor, _KEYS[sort]) if cursor else None,
    )
    return await responder.respond(_show_list, wanted)


def _show_list(session: Session, viewer: Viewer, wanted: RunFilter) -> Page[RunListItem]:
    rows = list_page(session, wanted, viewer)
    items = read_run_items(session, [row.id for row in rows[: wanted.limit]], viewer)
    return make_page(rows, items, wanted.limit)


@router.get(
    "/{run_id}",
    response_model=RunOut,
    responses=problems(404, 422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def get_run(responder: ResponderDep, run_id: RunName) -> Response:
    """Return a run by id or slug."""
    return await responder.respond_in_turn(_show_run, run_id)


def _show_run(session: Session, viewer: Viewer, name: str) -> RunOut:
    return run_out(session, get_readable(session, viewer, name), viewer)


@router.patch(
    "/{run_id}", dependencies=[needs(Permission.RUN)], responses=problems(401, 404, 413, 422)
)
def change_run(session: SessionDep, caller: CallerDep, run: OwnRunDep, body: RunPatch) -> RunOut:
    """Change the title of a run, or as a maintainer its visibility."""
    if body.visibility is not None:
        caller.require(Permission.MANAGE)
    visibility = None if body.visibility is None else Visibility(body.visibility)
    service.change_run(session, run, title=body.title, visibility=visibility)
    return run_out(session, repository.get_run(session, str(run.id)), caller.viewer)


@router.get(
    "/{run_id}/dependents",
    dependencies=[needs(Permission.MANAGE)],
    responses=problems(401, 404, 422),
)
def list_dependents(session: SessionDep, run: OwnRunDep) -> dependents.RunDependents:
    """Return the numbers of trials, changes, schedules and snapshots that depend on a run."""
    return dependents.count_dependents(session, run)


@router.delete(
    "/{run_id}",
    status_code=204,
    dependencies=[needs(Permission.MANAGE)],
    responses=problems(401, 404, 409, 413, 422),
)
def delete_run(session: SessionDep, run: OwnRunDep) -> None:
    """Delete an ended run with all its results. Saved snapshots stay."""
    service.delete_run(session, run)


@router.post(
    "/{run_id}/archive",
    dependencies=[needs(Permission.MANAGE)],
    responses=problems(401, 404, 409, 413, 422),
)
def archive_run(session: SessionDep, viewer: ViewerDep, run: OwnRunDep) -> RunOut:
    """Remove the seconds of a run for good. Its answer, estimates and trials stay."""
    archive(session, run)
    return run_out(session, repository.get_run(session, str(run.id)), viewer)


@router.post(
    "/{run_id}/cancel",
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 409, 413, 422),
)
def cancel_run(session: SessionDep, viewer: ViewerDep, run: OwnRunDep) -> RunListItem:
    """Stop a run. No queued trial starts any more, and the running trial ends within moments.

    A run of more than 200 trials ends a little later. Its `progress` counts the trials that have
    ended.
    """
    service.cancel_run(session, run)
    return run_item(session, repository.get_run_head(session, str(run.id)), viewer)


@router.post(
    "/{run_id}/rerun",
    status_code=202,
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 413, 422) | QUEUED,
)
def rerun_run(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    run: RunHeadDep,
    response: Response,
) -> RunListItem:
    """Queue the same cells again in the workspace of the request, as a run with a new seed."""
    again = service.repeat_run(session, workspace_id, run)
    response.headers["Location"] = f"/api/v1/runs/{again.id}"
    return run_item(session, again, viewer)


@router.get(
    "/{run_id}/events",
    status_code=200,
    response_class=events.EventStream,
    responses=problems(404, 422) | describe_stream(RunEvents),
    dependencies=[needs(Permission.OPEN)],
)
async def stream_run_events(
    resources: ResourcesDep,
    caller: CallerDep,
    stream: Annotated[RunStream, Depends(find_readable_stream)],
    last_event_id: Annotated[
        str,
        Header(
            pattern=r"^[0-9]{1,19}(-[0-9]{1,19})?$",
            examples=["1795201234567-0"],
            description="Id of the last event received. The stream continues after it.",
        ),
    ] = "0",
) -> Response:
    """Stream the events of a run: stages, seconds, log lines. The last event is `end`, or `closed`
    if the caller may not open the run any more.
    """
    counted = resources.streams.open(caller.limit_key)
    try:
        reader = events.make_reader(caller, stream.run_id)
        return events.EventStream(resources.relay.join(stream, reader), last_event_id, counted)
    except Unavailable:
        counted.close()
        raise


@router.get(
    "/{run_id}/export.{suffix}",
    response_class=Response,
    dependencies=[needs(Permission.OPEN), Exporting, LargeRead],
    responses=problems(404, 422) | EXPORTED,
)
def export_run(
    session: SessionDep,
    resources: ResourcesDep,
    caller: CallerDep,
    run: RunDep,
    suffix: export.Suffix,
    request: Request,
) -> Response:
    """Return the whole result as a file.

    `json` has all data, `csv` a row for each trial, `seconds.csv` a row for each second, `md`
    tables, and `bib` an entry for BibTeX. `html` is the page of the run with all its data, and
    opens offline.
    """
    results = read_run_results(session, run)
    # The parts are made while they are sent, after the session.
    repository.load_manifests(session, run)
    origin = find_origin(request)
    parts = export.list_parts(results_out(session, results), results, suffix, origin)
    name = f"tacho-{run.slug}.{suffix.value}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    reader = events.make_reader(caller, run.id)
    check = partial(events.check_reader, resources.database, reader)
    return ExportStream(resources, parts, suffix.media_type, headers, check)
