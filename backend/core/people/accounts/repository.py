"""SQL for users, sessions and one-time links. Never commits."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, exists, func, or_, select, tuple_
from sqlalchemy.orm import Session, joinedload

from backend.core.errors import NotFound
from backend.core.models import Identity, Membership, OneTimeLink, User, UserSession, Workspace
from backend.core.statuses import LinkPurpose, Role


def has_users(session: Session) -> bool:
    """Return whether anyone has an account."""
    return bool(session.scalar(select(exists(select(User.id)))))


def find_user_by_email(session: Session, email: str) -> User | None:
    """Return the user with an e-mail address, in any case."""
    return session.scalars(select(User).where(User.email == email.lower())).one_or_none()


def find_identity(session: Session, issuer: str, subject: str) -> Identity | None:
    """Return the identity with these claims of a provider."""
    return session.get(Identity, (issuer, subject))


def list_identities(session: Session, user_id: UUID) -> Sequence[Identity]:
    """Return the accounts of a user at providers, oldest first."""
    query = (
        select(Identity)
        .where(Identity.user_id == user_id)
        .order_by(Identity.created_at, Identity.issuer, Identity.subject)
    )
    return session.scalars(query).all()


def get_user(session: Session, user_id: UUID) -> User:
    """Return a user; raise NotFound if there is none."""
    user = session.get(User, user_id)
    if user is None:
        raise NotFound(f"There is no user {str(user_id)!r}.")
    return user


def lock_user(session: Session, user_id: UUID) -> User:
    """Return a user, locked until commit; raise NotFound if there is none."""
    query = select(User).where(User.id == user_id).with_for_update()
    user = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if user is None:
        raise NotFound(f"There is no user {str(user_id)!r}.")
    return user


def lock_active_operators(session: Session) -> Sequence[User]:
    """Return the operators who are not disabled, locked until commit.

    Two requests that each remove an operator wait for each other, so one operator stays.
    """
    query = (
        select(User)
        .where(User.is_operator, User.disabled_at.is_(None))
        .order_by(User.id)
        .with_for_update()
    )
    return session.scalars(query.execution_options(populate_existing=True)).all()


def list_users(
    session: Session, search: str | None, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[User]:
    """Return users whose name or e-mail address contains a text, oldest first."""
    query = select(User).order_by(User.created_at, User.id).limit(limit)
    if search:
        query = query.where(
            or_(
                User.email.icontains(search, autoescape=True),
                User.name.icontains(search, autoescape=True),
            )
        )
    if after is not None:
        query = query.where(tuple_(User.created_at, User.id) > after)
    return session.scalars(query).all()


def list_roles(session: Session, user_ids: Collection[UUID]) -> dict[UUID, list[tuple[str, Role]]]:
    """Return the slugs of the workspaces of each user with the user's roles, oldest first."""
    query = (
        select(Membership.user_id, Workspace.slug, Membership.role)
        .join(Workspace, Workspace.id == Membership.workspace_id)
        .where(Membership.user_id.in_(user_ids))
        .order_by(Membership.created_at, Membership.workspace_id)
    )
    roles: dict[UUID, list[tuple[str, Role]]] = {user_id: [] for user_id in user_ids}
    for user_id, workspace, role in session.execute(query):
        roles[user_id].append((workspace, role))
    return roles


def find_membership(session: Session, workspace_id: UUID, user_id: UUID) -> Membership | None:
    """Return the membership of a user in a workspace."""
    return session.get(Membership, (workspace_id, user_id))


def get_last_uses(session: Session, user_ids: Collection[UUID]) -> Mapping[UUID, datetime]:
    """Return when each user was last seen in a browser that is still signed in."""
    query = (
        select(UserSession.user_id, func.max(UserSession.last_seen_at))
        .where(UserSession.user_id.in_(user_ids))
        .group_by(UserSession.user_id)
    )
    return {user_id: at for user_id, at in session.execute(query) if user_id is not None}


def lock_first_workspace(session: Session) -> Workspace:
    """Return the oldest workspace, locked until commit; raise NotFound if there is none."""
    query = select(Workspace).order_by(Workspace.created_at, Workspace.id).limit(1)
    workspace = session.scalars(query.with_for_update()).one_or_none()
    if workspace is None:
        raise NotFound("There is no workspace. Run `tacho migrate`.")
    return workspace


def list_sessions(session: Session, user_id: UUID) -> Sequence[UserSession]:
    """Return the sessions of a user that have not expired, last used first."""
    query = (
        select(UserSession)
        .where(UserSession.user_id == user_id, UserSession.expires_at > func.now())
        .order_by(UserSession.last_seen_at.desc(), UserSession.id)
    )
    return session.scalars(query).all()


def get_session(session: Session, session_id: UUID) -> UserSession:
    """Return a session; raise NotFound if it has ended."""
    found = session.get(UserSession, session_id)
    if found is None:
        raise NotFound("This session has ended.")
    return found


def get_session_of_user(session: Session, user_id: UUID, session_id: UUID) -> UserSession:
    """Return a session of a user; raise NotFound if the user has no such session."""
    found = session.get(UserSession, session_id)
    if found is None or found.user_id != user_id:
        raise NotFound(f"You have no session {str(session_id)!r}.")
    return found


def find_session_by_key(session: Session, key_hash: str) -> UserSession | None:
    """Return the session of a cookie, also if it has expired."""
    return session.scalars(
        select(UserSession).where(UserSession.key_hash == key_hash)
    ).one_or_none()


def delete_expired_sessions(session: Session) -> None:
    """Delete all sessions that have expired, except those that another request is deleting."""
    expired = select(UserSession.id).where(UserSession.expires_at <= func.now())
    ids = expired.with_for_update(skip_locked=True)
    session.execute(delete(UserSession).where(UserSession.id.in_(ids)))


def find_usable_link(
    session: Session, key_hash: str, *, is_locked: bool, is_of_host: bool = False
) -> OneTimeLink | None:
    """Return a link that is neither used nor expired, with its workspace.

    Args:
        is_of_host: return only the key of a bench host, instead of only links for people.
        is_locked: lock the link until commit. Another use of it then waits and finds it used.
    """
    query = (
        select(OneTimeLink)
        .where(
            OneTimeLink.key_hash == key_hash,
            (OneTimeLink.purpose == LinkPurpose.BENCH_HOST) == is_of_host,
            OneTimeLink.used_at.is_(None),
            OneTimeLink.expires_at > func.now(),
        )
        .options(joinedload(OneTimeLink.workspace))
    )
    if is_locked:
        query = query.with_for_update(of=OneTimeLink).execution_options(populate_existing=True)
    return session.scalars(query).one_or_none()


def list_unused_host_links(session: Session, host_name: str) -> Sequence[OneTimeLink]:
    """Return the keys for a bench host that nobody has used, also if they have expired."""
    query = select(OneTimeLink).where(
        OneTimeLink.purpose == LinkPurpose.BENCH_HOST,
        OneTimeLink.used_at.is_(None),
        OneTimeLink.host_name == host_name,
    )
    return session.scalars(query).all()


def list_usable_host_links(session: Session) -> Sequence[OneTimeLink]:
    """Return the keys with which bench hosts can join, by name of the host."""
    query = select(OneTimeLink).where(
        OneTimeLink.purpose == LinkPurpose.BENCH_HOST,
        OneTimeLink.used_at.is_(None),
        OneTimeLink.expires_at > func.now(),
    )
    return session.scalars(query.order_by(OneTimeLink.host_name)).all()


def list_unused_links(
    session: Session, purpose: LinkPurpose, user_id: UUID | None = None
) -> Sequence[OneTimeLink]:
    """Return the links of a purpose that nobody has used, also if they have expired."""
    query = select(OneTimeLink).where(
        OneTimeLink.purpose == purpose,
        OneTimeLink.used_at.is_(None),
        OneTimeLink.user_id == user_id,
    )
    return session.scalars(query).all()
