"""Users, sessions and one-time links for tests, made with the product's own functions."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal
from uuid import UUID

from argon2 import PasswordHasher
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.core.accounts import links, passwords
from backend.core.accounts.service import Browser
from backend.core.models import Membership, OneTimeLink, User, UserSession, Workspace
from backend.core.statuses import LinkPurpose, Role

PASSWORD = "correct horse battery"
BROWSER = Browser("203.0.113.5", "Test browser")


def add_user(
    session: Session,
    email: str = "ada@example.org",
    *,
    role: Role | None = Role.MEMBER,
    is_operator: bool = False,
    is_disabled: bool = False,
    password: str = PASSWORD,
) -> User:
    """Add a user with a role in the first workspace; None makes no membership."""
    user = User(
        email=email,
        name=email.partition("@")[0].title(),
        password_hash=_hash(password),
        is_operator=is_operator,
        disabled_at=datetime.now(UTC) if is_disabled else None,
    )
    session.add(user)
    session.flush()
    if role is not None:
        workspace_id = get_first_workspace(session).id
        session.add(Membership(workspace_id=workspace_id, user_id=user.id, role=role))
        session.flush()
    return user


def get_first_workspace(session: Session) -> Workspace:
    """Return the workspace that every installation has."""
    return session.scalars(select(Workspace).where(Workspace.slug == "main")).one()


def invite(session: Session, role: Role = Role.MEMBER, email: str | None = None) -> str:
    """Create an invitation into the first workspace, and return its key."""
    workspace_id = get_first_workspace(session).id
    created = links.create_link(
        session,
        LinkPurpose.INVITATION,
        timedelta(days=7),
        email=email,
        workspace_id=workspace_id,
        role=role,
    )
    return created.key


def expire_links(session: Session) -> None:
    """Move the expiry of all links into the past."""
    session.execute(update(OneTimeLink).values(expires_at=_past()))


def expire_sessions(session: Session) -> None:
    """Move the expiry of all sessions into the past."""
    session.execute(update(UserSession).values(expires_at=_past()))


def list_session_ids(session: Session, user_id: UUID) -> list[UUID]:
    """Return the ids of the stored sessions of a user."""
    query = select(UserSession.id).where(UserSession.user_id == user_id)
    return list(session.scalars(query.order_by(UserSession.created_at, UserSession.id)))


@lru_cache
def _hash(password: str) -> str:
    """Hash each password of the tests once."""
    return passwords.hash_password(password)


def _past() -> datetime:
    return datetime.now(UTC) - timedelta(seconds=1)


class CountingHasher(PasswordHasher):
    """Counts how often a password is hashed, whether for a check or for storing it."""

    def __init__(self) -> None:
        super().__init__(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self.runs = 0

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.runs += 1
        return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002
        self.runs += 1
        return super().verify(hash, password)
