"""Create, change and delete workspaces, and manage their members and invitations."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.errors import Conflict, InvalidRequest
from backend.core.models import Host, Membership, OneTimeLink, Workspace
from backend.core.people.accounts.links import create_link
from backend.core.people.workspaces import repository
from backend.core.people.workspaces.slug import MAX_LENGTH, MIN_LENGTH, is_slug, make_slug
from backend.core.statuses import LinkPurpose, Role


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


MAX_INVITATIONS = 200


def create_workspace(
    session: Session, *, name: str, slug: str | None, owner_id: UUID | None
) -> Workspace:
    """Create a workspace.

    Args:
        slug: None makes it from the name.
        owner_id: the user who becomes its owner; None for a workspace without members.

    Raises:
        InvalidRequest: the slug is not valid, or the name gives no valid slug.
        Conflict: another workspace has this slug.
    """
    chosen = make_slug(name) if slug is None else slug
    if not is_slug(chosen):
        detail = (
            f"must have {MIN_LENGTH} to {MAX_LENGTH} lower case letters, digits and hyphens, and "
            "must not begin or end with a hyphen."
        )
        raise InvalidRequest.about("slug", detail)
    # Two requests may choose the same slug at the same time.
    repository.lock_workspaces(session)
    if repository.find_workspace(session, chosen) is not None:
        raise Conflict(f"There is a workspace {chosen!r} already. Choose another slug.")
    workspace = Workspace(name=name, slug=chosen)
    session.add(workspace)
    session.flush()
    if owner_id is not None:
        session.add(Membership(workspace_id=workspace.id, user_id=owner_id, role=Role.OWNER))
        session.flush()
    session.refresh(workspace)
    return workspace


def change_workspace(
    session: Session, slug: str, changes: Mapping[str, str | int | None]
) -> Workspace:
    """Change the name or limits of a workspace; raises NotFound.

    Args:
        changes: name, max_queued_trials, max_bench_minutes; values that are missing stay.
    """
    workspace = repository.get_workspace(session, slug)
    for attribute, value in changes.items():
        setattr(workspace, attribute, value)
    session.flush()
    return workspace


def delete_workspace(session: Session, slug: str) -> None:
    """Delete a workspace with its members, tokens, schedules, webhooks, SLOs and snapshots.

    Raises:
        NotFound: there is no such workspace.
        Conflict: it has runs, a host is reserved for it, or it is the last workspace.
    """
    workspace = repository.get_workspace(session, slug)
    if len(repository.lock_workspaces(session)) == 1:
        raise Conflict("This is the last workspace. Create another one first.")
    if repository.count_runs(session, [workspace.id]):
        raise Conflict(
            f"Workspace {slug!r} has runs. Only a workspace without runs can be deleted."
        )
    # Otherwise all workspaces could use a host whose only workspace is gone.
    reserved = catalog.list_hosts_reserved_for(session, slug)
    if reserved:
        raise Conflict(
            f"Host {reserved[0].name!r} is reserved for workspace {slug!r}. Change the "
            "reservation of the host first."
        )
    repository.delete_contents(session, workspace.id)
    session.delete(workspace)
    session.flush()


def change_role(session: Session, workspace_id: UUID, user_id: UUID, role: Role) -> Membership:
    """Change the role of a member.

    Raises:
        NotFound: the user is not a member.
        Conflict: the last owner would get another role.
    """
    member = repository.lock_member(session, workspace_id, user_id)
    if role is not Role.OWNER:
        _check_owners(session, member, "give this member another role")
    member.role = role
    session.flush()
    return member


def remove_member(session: Session, workspace_id: UUID, user_id: UUID) -> None:
    """Remove a member from a workspace, and revoke the member's personal tokens for it.

    Raises:
        NotFound: the user is not a member.
        Conflict: the last owner would leave.
    """
    member = repository.lock_member(session, workspace_id, user_id)
    _check_owners(session, member, "remove this member")
    # Otherwise they would work again after a new invitation.
    for token in repository.list_tokens_of_member(session, member):
        token.revoked_at = func.now()
    session.delete(member)
    session.flush()


def invite(
    session: Session,
    workspace_id: UUID,
    *,
    email: str | None,
    role: Role,
    days: int,
    created_by_id: UUID | None,
) -> tuple[OneTimeLink, str]:
    """Invite a person to a workspace.

    Args:
        email: None lets anyone with the link accept the invitation.

    Returns:
        The invitation, and the key of its link, which is stored nowhere.

    Raises:
        Conflict: the person is a member already, or there are MAX_INVITATIONS already.
    """
    address = None if email is None else email.lower()
    if address is not None and repository.find_member(session, workspace_id, address) is not None:
        raise Conflict(f"{address} is a member of this workspace already.")
    if len(repository.list_invitations(session, workspace_id)) >= MAX_INVITATIONS:
        raise Conflict(f"There are {MAX_INVITATIONS} open invitations already; revoke one first.")
    link = create_link(
        session,
        LinkPurpose.INVITATION,
        timedelta(days=days),
        email=address,
        workspace_id=workspace_id,
        role=role,
        created_by_id=created_by_id,
    )
    invitation = session.get_one(OneTimeLink, link.id)
    session.refresh(invitation)
    return invitation, link.key


def revoke_invitation(session: Session, workspace_id: UUID, invitation_id: UUID) -> None:
    """Delete an invitation, so that its link does not work; raises NotFound."""
    session.delete(repository.get_invitation(session, workspace_id, invitation_id))
    session.flush()


def _check_owners(session: Session, member: Membership, act: str) -> None:
    """Raise Conflict if a member is the only owner who can sign in."""
    if member.role is Role.OWNER and repository.count_other_owners(session, member) == 0:
        raise Conflict(
            "This is the last owner of the workspace. Make another member an owner first, then "
            f"{act}."
        )
