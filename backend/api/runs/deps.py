"""The run that a path names, for all routes below it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from backend.api.deps import CallerDep, ResourcesDep, SessionDep, ViewerDep
from backend.api.http.follow_ups import follow_ups
from backend.api.schemas import Name
from backend.api.stored.documents import JSON, DocumentReader, DocumentsDep
from backend.core.access.viewer import Viewer
from backend.core.errors import Forbidden, NotFound
from backend.core.models import Run
from backend.core.runs import repository
from backend.core.runs.event_stream import RunStream, find_stream
from backend.core.runs.visibility import may_open
from backend.core.stored_documents.subjects import of_run

QUEUED = follow_ups(
    202,
    "run_id",
    "id",
    *("get_run", "change_run", "cancel_run", "rerun_run", "delete_run"),
)
QUEUED[202] = {
    "description": "Queued",
    "headers": {"Location": {"description": "The run's address.", "schema": {"type": "string"}}},
    **QUEUED[202],
}
RunName = Annotated[Name, Path(examples=["k3v9q2mx4d"], description="A run's id or slug.")]


def find_readable(session: SessionDep, run_id: RunName, viewer: ViewerDep) -> Run:
    """Return the run by id or slug with its trials, if the caller may open it; raises NotFound."""
    return _check_readable(repository.get_run(session, run_id), run_id, viewer)


def find_readable_head(session: SessionDep, run_id: RunName, viewer: ViewerDep) -> Run:
    """As `find_readable`, without the trials, which may be many thousands."""
    return _check_readable(repository.get_run_head(session, run_id), run_id, viewer)


def _check_readable(run: Run, name: str, viewer: Viewer) -> Run:
    if not may_open(viewer, run.workspace_id, run.visibility):
        raise NotFound(f"There is no run {name!r}.")
    return run


async def find_readable_stream(
    resources: ResourcesDep, run_id: RunName, viewer: ViewerDep
) -> RunStream:
    """As `find_readable`, in a transaction that ends before a stream begins."""
    return await resources.database.read(
        lambda session: find_stream(session, find_readable(session, run_id, viewer))
    )


def find_own(run: Annotated[Run, Depends(find_readable_head)], caller: CallerDep) -> Run:
    """Return the run, without its trials, if it belongs to the workspace of the request.

    Raises:
        NotFound: the caller may not open it.
        Forbidden: it belongs to another workspace.
    """
    if caller.workspace is None or run.workspace_id != caller.workspace.id:
        raise Forbidden(
            f"Run {run.slug} belongs to another workspace. Switch to that workspace to change it."
        )
    return run


RunDep = Annotated[Run, Depends(find_readable)]
RunHeadDep = Annotated[Run, Depends(find_readable_head)]
OwnRunDep = Annotated[Run, Depends(find_own)]


@dataclass(frozen=True)
class RunDocument:
    """Answers a request for a document about one run. The document of a finished run is stored."""

    name: str
    documents: DocumentReader

    @property
    def viewer(self) -> Viewer:
        """Return the viewer whose other runs the document may link to and count, for `compute`."""
        return self.documents.viewer

    async def respond(
        self,
        compute: Callable[[Session, Run], BaseModel | bytes],
        *,
        shows_changes: bool = False,
        media_type: str = JSON,
        code: str = "",
    ) -> Response:
        """Return the document, stored or from `compute`, which gets the run if it may be read.

        Args:
            shows_changes: see `of_run`.
            media_type, code: see `DocumentReader.respond`.
        """
        return await self.documents.respond(
            of_run(self.name, shows_changes=shows_changes),
            lambda session: compute(session, find_readable(session, self.name, self.viewer)),
            media_type=media_type,
            code=code,
        )


async def read_run_document(run_id: RunName, documents: DocumentsDep) -> RunDocument:
    """Return what answers this request with a document about the run of the path."""
    return RunDocument(run_id, documents)


RunDocumentDep = Annotated[RunDocument, Depends(read_run_document)]
