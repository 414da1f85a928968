"""Create and revoke access tokens."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.errors import Conflict, InvalidRequest
from backend.core.models import AccessToken
from backend.core.people.access.keys import hash_key, make_token, show_prefix
from backend.core.people.access.permissions import Permission, Rights
from backend.core.people.tokens import repository
from backend.core.people.tokens.restrictions import Restrictions
from backend.core.statuses import Role, TokenScope

MAX_TOKENS = 100
# A role must allow this before its holder can give the scope to a token.
_NEEDED = {
    TokenScope.READ: Permission.VIEW,
    TokenScope.RUN: Permission.RUN,
    TokenScope.MANAGE: Permission.MANAGE,
}


def create_token(
    session: Session,
    workspace_id: UUID,
    *,
    name: str,
    scope: TokenScope,
    user_id: UUID | None,
    role: Role,
    created_by_id: UUID,
    days: int | None,
    restrictions: Restrictions,
) -> tuple[AccessToken, str]:
    """Create an access token.

    Args:
        user_id: the person that it belongs to; None for a token of the workspace.
        role: of the person who creates it.
        days: until it expires; None for a token that does not expire.

    Returns:
        The row, and the token itself, which is stored nowhere.

    Raises:
        InvalidRequest: the scope exceeds the role, a host or framework does not exist, or the
            restrictions exclude each other.
        Conflict: there are MAX_TOKENS already.
    """
    _refuse(
        [
            *_check_scope(scope, role),
            *_check_services(scope, restrictions),
            *_check_names(session, restrictions),
        ]
    )
    if repository.count_tokens(session, workspace_id, user_id) >= MAX_TOKENS:
        raise Conflict(f"There are {MAX_TOKENS} access tokens already; revoke one first.")
    secret = make_token()
    token = AccessToken(
        name=name,
        prefix=show_prefix(secret),
        key_hash=hash_key(secret),
        workspace_id=workspace_id,
        user_id=user_id,
        created_by_id=created_by_id,
        scope=scope,
        hosts=_distinct(restrictions.hosts),
        frameworks=_distinct(restrictions.frameworks),
        services=_distinct(restrictions.services),
        expires_at=None if days is None else datetime.now(UTC) + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    session.refresh(token)
    return token, secret


def revoke_token(session: Session, token: AccessToken) -> None:
    """Revoke a locked access token. Revoking it again changes nothing."""
    if token.revoked_at is None:
        token.revoked_at = func.now()
        session.flush()


def check_scope(scope: TokenScope, role: Role) -> None:
    """Raise InvalidRequest if a role does not allow a token with a scope."""
    _refuse(_check_scope(scope, role))


def _refuse(problems: Sequence[dict[str, str]]) -> None:
    """Raise InvalidRequest if there are problems."""
    if problems:
        raise InvalidRequest.of(problems)


def _check_scope(scope: TokenScope, role: Role) -> list[dict[str, str]]:
    if Rights(role=role).allow(_NEEDED[scope]):
        return []
    detail = f"Your role {role} does not allow a token with the scope '{scope}'."
    return [{"field": "scope", "detail": detail}]


def _check_services(scope: TokenScope, restrictions: Restrictions) -> list[dict[str, str]]:
    """Return what a token for own services must not have."""
    if restrictions.services is None:
        return []
    problems = []
    if scope is not TokenScope.RUN:
        detail = "A token for own services has the scope 'run'."
        problems.append({"field": "scope", "detail": detail})
    if restrictions.frameworks is not None:
        detail = "A token for own services measures no frameworks; leave one of both out."
        problems.append({"field": "frameworks", "detail": detail})
    return problems


def _check_names(session: Session, restrictions: Restrictions) -> list[dict[str, str]]:
    """Return the hosts and frameworks that do not exist."""
    frameworks = restrictions.frameworks or ()
    known = catalog.find_frameworks(session, set(frameworks))
    hosts = [host.name for host in catalog.list_hosts(session)]
    return [
        *(
            {
                "field": f"hosts.{index}",
                "detail": f"There is no host {name!r}; there are {', '.join(hosts) or 'none'}.",
            }
            for index, name in enumerate(restrictions.hosts or ())
            if name not in hosts
        ),
        *(
            {
                "field": f"frameworks.{index}",
                "detail": catalog.describe_missing("framework", "frameworks", slug),
            }
            for index, slug in enumerate(frameworks)
            if slug not in known
        ),
    ]


def _distinct(names: Sequence[str] | None) -> list[str] | None:
    return None if names is None else list(dict.fromkeys(names))
