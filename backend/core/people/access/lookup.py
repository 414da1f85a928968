"""SQL that finds who sent a request, in one statement. Never commits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.core.people.access.keys import hash_key
from backend.core.statuses import Role, TokenScope

Statement = tuple[str, Mapping[str, object]]
Rows = Sequence[tuple[Any, ...]]

# As JSON arrays: id, slug, name, role. A user's workspaces, or all of them as their owner.
_MEMBERSHIPS = """(
    SELECT coalesce(json_agg(json_build_array(workspace.id, workspace.slug, workspace.name,
        membership.role) ORDER BY membership.created_at, workspace.slug), '[]')
    FROM membership JOIN workspace ON workspace.id = membership.workspace_id
    WHERE membership.user_id = person.id)"""
_ALL_WORKSPACES = """(
    SELECT coalesce(json_agg(json_build_array(id, slug, name, 'owner')
        ORDER BY created_at, slug), '[]') FROM workspace)"""
_HAS_USERS = 'EXISTS (SELECT FROM "user")'
_INSTALLATION = f"SELECT {_HAS_USERS}, {_ALL_WORKSPACES}"
_SESSION = f"""
    SELECT signed_in.id, signed_in.token_hash, signed_in.workspace_id,
        signed_in.last_seen_at < now() - interval '1 minute',
        person.id, person.email, person.name, person.is_operator,
        CASE WHEN person.id IS NULL THEN {_ALL_WORKSPACES} ELSE {_MEMBERSHIPS} END
    FROM user_session AS signed_in LEFT JOIN "user" AS person ON person.id = signed_in.user_id
    WHERE signed_in.key_hash = %(key)s AND signed_in.expires_at > now()
        AND person.disabled_at IS NULL
"""  # noqa: S608
_BY_BEARER = """
    SELECT token.id, token.name, token.scope, token.hosts, token.frameworks, token.services,
        token.expires_at, token.revoked_at, token.expires_at <= now(),
        coalesce(token.last_used_at < now() - interval '1 minute', true),
        workspace.id, workspace.slug, workspace.name, person.id, person.email, person.name,
        membership.role, person.disabled_at IS NOT NULL
    FROM access_token AS token
    JOIN workspace ON workspace.id = token.workspace_id
    LEFT JOIN "user" AS person ON person.id = token.user_id
    LEFT JOIN membership ON membership.workspace_id = token.workspace_id
        AND membership.user_id = token.user_id
    WHERE token.key_hash = %(key)s
"""


@dataclass(frozen=True)
class WorkspaceOfCaller:
    """A workspace, with the caller's role in it."""

    id: UUID
    slug: str
    name: str
    role: Role


@dataclass(frozen=True)
class Person:
    """A user who sent a request."""

    id: UUID
    email: str
    name: str
    is_operator: bool


@dataclass(frozen=True)
class InstallationState:
    """Whether anyone has an account, and all workspaces."""

    has_users: bool
    workspaces: Sequence[WorkspaceOfCaller]


@dataclass(frozen=True)
class FoundSession:
    """A valid session.

    Attributes:
        token_hash: of the TACHO_TOKEN that the browser signed in with; None with an account.
        workspace_id: the workspace that the browser shows; None for the first.
        is_stale: whether the time of its last use must be stored again.
        person: None for a browser that signed in with TACHO_TOKEN.
    """

    id: UUID
    token_hash: str | None
    workspace_id: UUID | None
    is_stale: bool
    person: Person | None
    workspaces: Sequence[WorkspaceOfCaller]


@dataclass(frozen=True)
class FoundToken:
    """An access token, valid or not.

    Attributes:
        fault: why it does not work, as the end of "This access token …"; None if it works.
        person: None for a token of the workspace.
        workspace: the token's, with the role of its person, or the owner's for its own token.
    """

    id: UUID
    name: str
    scope: TokenScope
    hosts: Sequence[str] | None
    frameworks: Sequence[str] | None
    services: Sequence[str] | None
    fault: str | None
    is_stale: bool
    person: Person | None
    workspace: WorkspaceOfCaller | None


def look_up_installation() -> Statement:
    """Return the statement for `read_installation`."""
    return _INSTALLATION, {}


def read_installation(rows: Rows) -> InstallationState:
    """Return what the statement found."""
    has_users, workspaces = rows[0]
    return InstallationState(has_users, _read_workspaces(workspaces))


def look_up_session(key: str) -> Statement:
    """Return the statement for `read_session`."""
    return _SESSION, {"key": hash_key(key)}


def read_session(rows: Rows) -> FoundSession | None:
    """Return the session that the statement found; None if it has ended or never existed."""
    if not rows:
        return None
    session_id, token_hash, workspace_id, is_stale, *person, workspaces = rows[0]
    return FoundSession(
        session_id,
        token_hash,
        workspace_id,
        is_stale,
        Person(*person) if person[0] is not None else None,
        _read_workspaces(workspaces),
    )


def look_up_token(token: str) -> Statement:
    """Return the statement for `read_token`."""
    return _BY_BEARER, {"key": hash_key(token)}


def read_token(rows: Rows) -> FoundToken | None:
    """Return the access token that the statement found; None for an unknown one."""
    if not rows:
        return None
    token_id, name, scope, hosts, frameworks, services, *uses = rows[0][:10]
    expires_at, revoked_at, has_expired, is_stale = uses
    workspace_id, slug, workspace_name, *owner = rows[0][10:]
    user_id, email, user_name, role, is_disabled = owner
    # A token of the workspace is limited by its scope only.
    held = Role.OWNER if user_id is None else None if role is None else Role(role)
    return FoundToken(
        id=token_id,
        name=name,
        scope=TokenScope(scope),
        hosts=hosts,
        frameworks=frameworks,
        services=services,
        fault=_find_fault(revoked_at, expires_at if has_expired else None, is_disabled, held, slug),
        is_stale=is_stale,
        person=None if user_id is None else Person(user_id, email, user_name, is_operator=False),
        workspace=None
        if held is None
        else WorkspaceOfCaller(workspace_id, slug, workspace_name, held),
    )


def _find_fault(
    revoked_at: datetime | None,
    expired_at: datetime | None,
    is_disabled: bool,
    role: Role | None,
    workspace: str,
) -> str | None:
    if revoked_at is not None:
        return f"was revoked on {revoked_at:%d %B %Y}"
    if expired_at is not None:
        return f"expired on {expired_at:%d %B %Y}"
    if is_disabled:
        return "belongs to a user whom an operator has disabled"
    if role is None:
        return f"belongs to a user who is no longer a member of workspace {workspace!r}"
    return None


def _read_workspaces(rows: Sequence[Sequence[str]]) -> list[WorkspaceOfCaller]:
    return [
        WorkspaceOfCaller(UUID(identifier), slug, name, Role(role))
        for identifier, slug, name, role in rows
    ]
