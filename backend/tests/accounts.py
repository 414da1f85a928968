"""Create users, workspaces, members, sessions, access tokens and invitations for tests."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal
from uuid import UUID

from argon2 import PasswordHasher
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.api.access.cookie import COOKIE
from backend.core.models import (
    AccessToken,
    Membership,
    OneTimeLink,
    User,
    UserSession,
    Workspace,
)
from backend.core.people.access.keys import hash_key, make_key, make_token, show_prefix
from backend.core.people.accounts import links, passwords
from backend.core.people.accounts.service import SESSION_LIFETIME, Browser
from backend.core.statuses import LinkPurpose, Role, TokenScope

MAIN = "main"
# The base URL of the fixtures `client` and `visitor` in backend/tests/api/conftest.py.
ORIGIN = "http://127.0.0.1:8000"
PASSWORD = "correct horse battery"
BROWSER = Browser("203.0.113.5", "Test browser")


def get_workspace(session: Session, slug: str = MAIN) -> Workspace:
    """Return a workspace, by default the first workspace of every installation."""
    return session.scalars(select(Workspace).where(Workspace.slug == slug)).one()


def add_workspace(session: Session, slug: str = "other", name: str = "") -> Workspace:
    workspace = Workspace(slug=slug, name=name or slug.title())
    session.add(workspace)
    session.flush()
    return workspace


def add_user(
    session: Session,
    email: str = "ada@example.org",
    *,
    name: str = "",
    is_operator: bool = False,
    password_hash: str | None = None,
) -> User:
    """Add a user who is not a member of any workspace."""
    user = User(
        email=email,
        name=name or email.partition("@")[0].title(),
        is_operator=is_operator,
        password_hash=password_hash,
    )
    session.add(user)
    session.flush()
    return user


def add_member(
    session: Session,
    email: str = "ada@example.org",
    role: Role = Role.OWNER,
    *,
    workspace: str = MAIN,
    is_operator: bool = False,
) -> User:
    """Make a user a member of a workspace. Add the user if the e-mail address is new."""
    user = session.scalars(select(User).where(User.email == email)).one_or_none()
    user = user or add_user(session, email, is_operator=is_operator)
    workspace_id = get_workspace(session, workspace).id
    session.add(Membership(workspace_id=workspace_id, user_id=user.id, role=role))
    session.flush()
    return user


def sign_in(session: Session, user: User | UUID, *, workspace: str | None = None) -> dict[str, str]:
    """Add a session of a user, and return the headers of the user's browser.

    Pass the headers with each request of the user, after the transaction has committed.
    """
    key = make_key()
    signed_in = UserSession(
        key_hash=hash_key(key),
        user_id=user.id if isinstance(user, User) else user,
        workspace_id=get_workspace(session, workspace).id if workspace else None,
        address="203.0.113.5",
        user_agent="A browser of the tests",
        expires_at=datetime.now(UTC) + SESSION_LIFETIME,
    )
    session.add(signed_in)
    session.flush()
    return {"Cookie": f"{COOKIE}={key}", "Origin": ORIGIN}


def add_token(
    session: Session,
    user: User | UUID | None = None,
    scope: TokenScope = TokenScope.RUN,
    *,
    workspace: str = MAIN,
    name: str = "CI",
    hosts: Sequence[str] | None = None,
    frameworks: Sequence[str] | None = None,
    services: Sequence[str] | None = None,
    expires_in: timedelta | None = None,
    is_revoked: bool = False,
) -> dict[str, str]:
    """Add an access token, and return the headers of the script that sends it.

    Args:
        user: None for a token of the workspace.
        expires_in: negative for an expired token; None for a token without expiry.
    """
    secret = make_token()
    now = datetime.now(UTC)
    token = AccessToken(
        name=name,
        prefix=show_prefix(secret),
        key_hash=hash_key(secret),
        workspace_id=get_workspace(session, workspace).id,
        user_id=user.id if isinstance(user, User) else user,
        scope=scope,
        hosts=None if hosts is None else list(hosts),
        frameworks=None if frameworks is None else list(frameworks),
        services=None if services is None else list(services),
        expires_at=now + expires_in if expires_in is not None else None,
        revoked_at=now if is_revoked else None,
    )
    session.add(token)
    session.flush()
    return {"Authorization": f"Bearer {secret}"}


def add_person(
    session: Session,
    email: str = "ada@example.org",
    *,
    role: Role | None = Role.MEMBER,
    is_operator: bool = False,
    is_disabled: bool = False,
    password: str = PASSWORD,
) -> User:
    """Add a user with a password, and a role in the first workspace; None makes no membership."""
    user = add_user(session, email, is_operator=is_operator, password_hash=_hash(password))
    user.disabled_at = datetime.now(UTC) if is_disabled else None
    return add_member(session, email, role) if role is not None else user


def invite(session: Session, role: Role = Role.MEMBER, email: str | None = None) -> str:
    """Create an invitation into the first workspace, and return its key."""
    workspace_id = get_workspace(session).id
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
