"""Groups of runs: the same request, measured on several bench hosts.

Each host gets a run of its own. The runs are shown next to each other and never pooled.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.access.viewer import INSTALLATION, Viewer
from backend.core.documents import RunRequest
from backend.core.errors import IdempotencyMismatch, InvalidRequest, NotFound
from backend.core.models import Run, RunGroup
from backend.core.runs import repository
from backend.core.runs.planning import list_suitable_hosts
from backend.core.runs.service import KEY_OF_ANOTHER_REQUEST, create_run
from backend.core.runs.slug import new_slug

EACH = "each"


def create_runs(
    session: Session,
    workspace_id: UUID,
    request: RunRequest,
    idempotency_key: str | None = None,
) -> Run:
    """Queue a run, or one run on each requested host; return the first, without its trials.

    Raises:
        The errors of create_run; nothing is written.
    """
    if request.hosts is None:
        run, _ = create_run(session, workspace_id, request, idempotency_key)
        return run
    if idempotency_key is not None:
        repository.lock_key(session, workspace_id, idempotency_key)
        earlier = repository.find_by_key(session, workspace_id, idempotency_key)
        if earlier is not None:
            if not isinstance(earlier, RunGroup) or earlier.request_digest != request.digest:
                raise IdempotencyMismatch(KEY_OF_ANOTHER_REQUEST)
            if runs := repository.list_of_group(session, earlier.slug, INSTALLATION):
                return runs[0]
            # All of its runs were deleted.
            session.delete(earlier)
            session.flush()
    names = _choose_hosts(session, workspace_id, request)
    runs = [_create_on(session, workspace_id, request, name) for name in names]
    group = RunGroup(
        slug=new_slug(),
        workspace_id=workspace_id,
        idempotency_key=idempotency_key,
        request_digest=request.digest,
    )
    repository.add_group(session, group, runs)
    return runs[0]


def read_group(session: Session, slug: str, viewer: Viewer) -> Sequence[Run]:
    """Return the runs of a group that the viewer may open, with cells and trials.

    Raises:
        NotFound: there is no such group, or the viewer may open none of its runs.
    """
    runs = repository.list_of_group(session, slug, viewer)
    if not runs:
        raise NotFound(f"There is no group of runs {slug!r}.")
    return runs


def _choose_hosts(session: Session, workspace_id: UUID, request: RunRequest) -> Sequence[str]:
    if request.hosts is not None and request.hosts != EACH:
        return list(dict.fromkeys(request.hosts))
    suitable, problems = list_suitable_hosts(session, workspace_id, request)
    if suitable:
        return [host.name for host in suitable]
    reasons = " ".join(problem["detail"] for problem in problems)
    detail = f"No host can measure all requested cells: {reasons}"
    raise InvalidRequest(f"hosts: {detail}", [{"field": "hosts", "detail": detail}])


def _create_on(session: Session, workspace_id: UUID, request: RunRequest, host: str) -> Run:
    """Queue the run of a host. Its errors name the field `hosts` instead of `host`."""
    try:
        run, _ = create_run(session, workspace_id, replace(request, host=host, hosts=None))
    except InvalidRequest as error:
        problems = [
            {**problem, "field": "hosts"} if problem["field"] == "host" else problem
            for problem in error.problems
        ]
        if not problems:
            raise
        first = problems[0]
        raise InvalidRequest(f"{first['field']}: {first['detail']}", problems) from error
    return run
