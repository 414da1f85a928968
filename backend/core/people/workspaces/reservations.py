"""Reserve bench hosts for workspaces."""

from collections.abc import Collection

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.errors import InvalidRequest
from backend.core.models import Host
from backend.core.people.workspaces import repository


def reserve_host(session: Session, name: str, workspaces: Collection[str] | None) -> Host:
    """Reserve a bench host. Runs that are queued already still take place on it.

    Args:
        name: name of the host.
        workspaces: slugs of the only workspaces that may use it. None: all workspaces may.

    Raises:
        NotFound: there is no such host.
        InvalidRequest: `workspaces` is empty, or one does not exist.
    """
    # No workspace can be deleted until commit.
    known = {workspace.slug for workspace in repository.lock_workspaces(session)}
    host = catalog.lock_host(session, name)
    if workspaces is not None:
        _check(workspaces, known)
    host.reserved_for = None if workspaces is None else sorted(set(workspaces))
    session.flush()
    return host


def _check(workspaces: Collection[str], known: Collection[str]) -> None:
    problems = [
        {"field": f"workspaces.{index}", "detail": f"There is no workspace {slug!r}."}
        for index, slug in enumerate(workspaces)
        if slug not in known
    ]
    if not workspaces:
        detail = "Name at least one workspace, or send null to let all workspaces use the host."
        problems = [{"field": "workspaces", "detail": detail}]
    if problems:
        raise InvalidRequest.of(problems)
