"""SQL for workspaces, members and invitations. Never commits."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, joinedload

from backend.core.errors import NotFound
from backend.core.models import (
    AccessToken,
    Change,
    HostEvent,
    Incident,
    Membership,
    OneTimeLink,
    Run,
    Schedule,
    Slo,
    Snapshot,
    User,
    Webhook,
    Workspace,
)
from backend.core.statuses import LinkPurpose, Role


def list_workspaces(session: Session) -> Sequence[Workspace]:
    """Return all workspaces, oldest first."""
    return session.scalars(select(Workspace).order_by(Workspace.created_at, Workspace.slug)).all()


def lock_workspaces(session: Session) -> Sequence[Workspace]:
    """Return all workspaces, locked until commit. No run can be added to them in the meantime."""
    query = select(Workspace).order_by(Workspace.id).with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).all()


def get_workspace(session: Session, slug: str) -> Workspace:
    """Return a workspace; raise NotFound if there is none."""
    workspace = find_workspace(session, slug)
    if workspace is None:
        raise NotFound(f"There is no workspace {slug!r}.")
    return workspace


def find_workspace(session: Session, slug: str) -> Workspace | None:
    return session.scalars(select(Workspace).where(Workspace.slug == slug)).one_or_none()


def count_members(session: Session, workspace_ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Return the number of members of each workspace that has any."""
    query = (
        select(Membership.workspace_id, func.count())
        .where(Membership.workspace_id.in_(workspace_ids))
        .group_by(Membership.workspace_id)
    )
    return dict(session.execute(query).all())


def count_runs(session: Session, workspace_ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Return the number of runs of each workspace that has any."""
    query = (
        select(Run.workspace_id, func.count())
        .where(Run.workspace_id.in_(workspace_ids))
        .group_by(Run.workspace_id)
    )
    return dict(session.execute(query).all())


def delete_contents(session: Session, workspace_id: UUID) -> None:
    """Delete what a workspace without runs owns, except what PostgreSQL deletes with its row."""
    for table in (Change, Incident, HostEvent, Schedule, Webhook, Slo, Snapshot):
        session.execute(delete(table).where(table.workspace_id == workspace_id))


def list_members(session: Session, workspace_id: UUID) -> Sequence[Membership]:
    """Return the members of a workspace with their users, ordered by name."""
    query = (
        select(Membership)
        .join(Membership.user)
        .where(Membership.workspace_id == workspace_id)
        .options(joinedload(Membership.user))
        .order_by(func.lower(User.name), User.email)
    )
    return session.scalars(query).all()


def find_member(session: Session, workspace_id: UUID, email: str) -> Membership | None:
    """Return the member of a workspace with an e-mail address in lower case."""
    query = (
        select(Membership)
        .join(Membership.user)
        .where(Membership.workspace_id == workspace_id, User.email == email)
    )
    return session.scalars(query).one_or_none()


def lock_member(session: Session, workspace_id: UUID, user_id: UUID) -> Membership:
    """Return a member of a workspace with the user; raise NotFound if there is none.

    The owners of the workspace are locked until commit, so that two owners cannot leave at the same
    time.
    """
    owners = select(Membership.user_id).where(
        Membership.workspace_id == workspace_id, Membership.role == Role.OWNER
    )
    session.execute(owners.order_by(Membership.user_id).with_for_update())
    query = (
        select(Membership)
        .where(Membership.workspace_id == workspace_id, Membership.user_id == user_id)
        .options(joinedload(Membership.user))
        .with_for_update(of=Membership)
    )
    found = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        raise NotFound(f"The workspace has no member {str(user_id)!r}.")
    return found


def count_other_owners(session: Session, member: Membership) -> int:
    """Return the number of owners of a workspace who can sign in, without this member."""
    query = (
        select(func.count())
        .select_from(Membership)
        .join(Membership.user)
        .where(
            Membership.workspace_id == member.workspace_id,
            Membership.role == Role.OWNER,
            Membership.user_id != member.user_id,
            User.disabled_at.is_(None),
        )
    )
    return session.scalar(query) or 0


def list_tokens_of_member(session: Session, member: Membership) -> Sequence[AccessToken]:
    """Return the personal tokens of a member of a workspace that are not revoked."""
    query = select(AccessToken).where(
        AccessToken.workspace_id == member.workspace_id,
        AccessToken.user_id == member.user_id,
        AccessToken.revoked_at.is_(None),
    )
    return session.scalars(query).all()


def list_invitations(session: Session, workspace_id: UUID) -> Sequence[OneTimeLink]:
    """Return the invitations to a workspace that can still be accepted, newest first."""
    query = (
        select(OneTimeLink)
        .where(
            OneTimeLink.workspace_id == workspace_id,
            OneTimeLink.purpose == LinkPurpose.INVITATION,
            OneTimeLink.used_at.is_(None),
            OneTimeLink.expires_at > func.now(),
        )
        .order_by(OneTimeLink.created_at.desc(), OneTimeLink.id.desc())
    )
    return session.scalars(query).all()


def get_invitation(session: Session, workspace_id: UUID, invitation_id: UUID) -> OneTimeLink:
    """Return an invitation to a workspace that nobody has accepted; raise NotFound."""
    query = select(OneTimeLink).where(
        OneTimeLink.id == invitation_id,
        OneTimeLink.workspace_id == workspace_id,
        OneTimeLink.purpose == LinkPurpose.INVITATION,
        OneTimeLink.used_at.is_(None),
    )
    found = session.scalars(query.with_for_update()).one_or_none()
    if found is None:
        raise NotFound(f"There is no open invitation {str(invitation_id)!r}.")
    return found


def list_emails(session: Session, user_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return the e-mail addresses of users, by id."""
    query = select(User.id, User.email).where(User.id.in_(user_ids))
    return dict(session.execute(query).all())
