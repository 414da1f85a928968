"""Groups of runs: the same request, measured on several bench hosts.

Each host gets a run of its own. The runs are shown next to each other and never pooled.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.documents import EACH, RunRequest
from backend.core.errors import Conflict, IdempotencyMismatch, InvalidRequest, NotFound
from backend.core.models import Run, RunGroup
from backend.core.people.access.viewer import INSTALLATION, Viewer
from backend.core.people.tokens.restrictions import restricts_hosts
from backend.core.runs import repository
from backend.core.runs.planning import list_suitable_hosts
from backend.core.runs.service import (
    KEY_OF_ANOTHER_REQUEST,
    cancel_run,
    check_run,
    create_run,
)
from backend.core.runs.slug import new_slug
from backend.core.statuses import RunStatus


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
        return create_run(session, workspace_id, request, idempotency_key)
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
    names = choose_hosts(session, workspace_id, request)
    runs = [create_run_on(session, workspace_id, request, name) for name in names]
    form_group(session, request, runs, idempotency_key)
    return runs[0]


def check_runs(session: Session, workspace_id: UUID, request: RunRequest) -> RunRequest:
    """Return the request of a workspace with the names of its hosts.

    `each` stays, unless the session may use certain hosts only: further hosts may be added later.

    Raises:
        The errors of create_runs. Writes nothing.
    """
    if request.hosts is None:
        return replace(request, host=check_run(session, workspace_id, request).name)
    names = choose_hosts(session, workspace_id, request)
    for name in names:
        with _faults_of_hosts():
            check_run(session, workspace_id, _on_host(request, name))
    stays = request.hosts == EACH and not restricts_hosts(session)
    return request if stays else replace(request, hosts=names)


def choose_hosts(session: Session, workspace_id: UUID, request: RunRequest) -> list[str]:
    """Return the names of the hosts of a request for several hosts, each once; at least one.

    Raises:
        Unavailable: no bench host that the workspace may use.
        InvalidRequest: no host is suitable.
    """
    if request.hosts is not None and request.hosts != EACH:
        return list(dict.fromkeys(request.hosts))
    suitable, problems = list_suitable_hosts(session, workspace_id, request)
    if suitable:
        return [host.name for host in suitable]
    reasons = " ".join(problem["detail"] for problem in problems)
    detail = f"No host can measure all requested cells: {reasons}"
    raise InvalidRequest.about("hosts", detail)


def create_run_on(session: Session, workspace_id: UUID, request: RunRequest, host: str) -> Run:
    """Queue the run of a host of a request for several hosts.

    Raises:
        The errors of create_run, which name the field `hosts` instead of `host`.
    """
    with _faults_of_hosts():
        return create_run(session, workspace_id, _on_host(request, host))


def form_group(
    session: Session,
    request: RunRequest,
    runs: Sequence[Run],
    idempotency_key: str | None = None,
) -> None:
    """Make a group of the runs of a request, which are at least one."""
    group = RunGroup(
        slug=new_slug(),
        workspace_id=runs[0].workspace_id,
        idempotency_key=idempotency_key,
        request_digest=request.digest,
    )
    repository.add_group(session, group, runs)


def cancel_group(session: Session, runs: Sequence[Run]) -> None:
    """Cancel the runs of a group that have not ended.

    Raises:
        Conflict: all of them have succeeded or failed.
    """
    if all(run.status in (RunStatus.SUCCEEDED, RunStatus.FAILED) for run in runs):
        raise Conflict("All runs of this group have ended; there is nothing to cancel.")
    for run in runs:
        # A run that has ended stays as it is.
        with suppress(Conflict):
            cancel_run(session, run)


def read_group(session: Session, slug: str, viewer: Viewer) -> Sequence[Run]:
    """Return the runs of a group that the viewer may open, with cells and trials.

    Raises:
        NotFound: there is no such group, or the viewer may open none of its runs.
    """
    runs = repository.list_of_group(session, slug, viewer)
    if not runs:
        raise NotFound(f"There is no group of runs {slug!r}.")
    return runs


def _on_host(request: RunRequest, host: str) -> RunRequest:
    return replace(request, host=host, hosts=None)


@contextmanager
def _faults_of_hosts() -> Iterator[None]:
    """Let errors of the run of one host name the field `hosts`, which the request has."""
    try:
        yield
    except InvalidRequest as error:
        problems = [
            {**problem, "field": "hosts"} if problem["field"] == "host" else problem
            for problem in error.problems
        ]
        if not problems:
            raise
        raise InvalidRequest.of(problems) from error
