"""Access tokens: creation, scopes and revocation."""

import re
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from backend.core.errors import InvalidRequest
from backend.core.models import AccessToken
from backend.core.people.access.keys import hash_key
from backend.core.people.tokens import service
from backend.core.people.tokens.restrictions import Restrictions
from backend.core.statuses import Role, TokenScope
from backend.tests.accounts import add_member, get_workspace


def create(session: Session, creator_id: UUID, **changes: Any) -> tuple[AccessToken, str]:
    fields: dict[str, Any] = {
        "name": "CI",
        "scope": TokenScope.RUN,
        "user_id": creator_id,
        "role": Role.OWNER,
        "created_by_id": creator_id,
        "days": None,
        "restrictions": Restrictions(),
    }
    return service.create_token(session, get_workspace(session).id, **fields | changes)


def test_only_the_hash_of_a_token_is_stored(session: Session) -> None:
    user = add_member(session)

    token, secret = create(session, user.id)

    assert re.fullmatch(r"tacho_[\w-]{43}", secret)
    assert token.key_hash == hash_key(secret)
    assert secret.startswith(token.prefix)
    assert len(token.prefix) == 12


@pytest.mark.parametrize(
    ("role", "widest"),
    [
        (Role.VIEWER, TokenScope.READ),
        (Role.MEMBER, TokenScope.RUN),
        (Role.MAINTAINER, TokenScope.MANAGE),
        (Role.OWNER, TokenScope.MANAGE),
    ],
)
def test_a_scope_does_not_exceed_the_role(session: Session, role: Role, widest: TokenScope) -> None:
    user = add_member(session, role=role)
    scopes = list(TokenScope)
    allowed = scopes[: scopes.index(widest) + 1]
    for scope in scopes:
        if scope in allowed:
            create(session, user.id, role=role, scope=scope)
        else:
            with pytest.raises(InvalidRequest, match=f"scope: Your role {role} does not allow"):
                create(session, user.id, role=role, scope=scope)


def test_a_token_for_own_services_can_only_run(session: Session) -> None:
    user = add_member(session)
    token, _ = create(session, user.id, restrictions=Restrictions(services=["shop"]))
    assert token.services == ["shop"]

    for scope in (TokenScope.READ, TokenScope.MANAGE):
        with pytest.raises(InvalidRequest, match="scope: A token for own services has the scope"):
            create(session, user.id, scope=scope, restrictions=Restrictions(services=["shop"]))
    with pytest.raises(InvalidRequest, match="frameworks: A token for own services"):
        create(session, user.id, restrictions=Restrictions(None, ["node"], ["shop"]))


def test_a_token_is_revoked_once(session: Session) -> None:
    token, _ = create(session, add_member(session).id)
    service.revoke_token(session, token)
    session.refresh(token)
    first = token.revoked_at

    service.revoke_token(session, token)
    session.refresh(token)

    assert first is not None
    assert token.revoked_at == first
