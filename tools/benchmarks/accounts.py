"""An account and access tokens for benchmarks, so that they measure with sign-in and limits on."""

from collections.abc import Generator, Sequence
from itertools import cycle
from uuid import UUID

import httpx
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import AccessToken, Membership, Workspace
from backend.core.people.access.keys import make_key
from backend.core.people.accounts import repository as accounts
from backend.core.people.accounts.service import create_user
from backend.core.people.tokens.restrictions import Restrictions
from backend.core.people.tokens.service import create_token
from backend.core.statuses import Role, TokenScope

_EMAIL = "benchmark@example.org"
_NAME = "Benchmark"


class TokensInTurn(httpx.Auth):
    """Sends the next access token with each request, because each token has its own limit."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = cycle(tokens)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {next(self._tokens)}"
        yield request


def find_first_workspace(session: Session) -> UUID:
    """Return the id of the workspace that the migrations create."""
    query = select(Workspace.id).order_by(Workspace.created_at).limit(1)
    return session.scalars(query).one()


def add_tokens(count: int) -> list[str]:
    """Make a user the owner of the first workspace, and return new tokens of the workspace.

    The tokens of earlier benchmarks are deleted. Afterwards this machine has to sign in too.
    """
    with unit_of_work() as session:
        workspace_id = find_first_workspace(session)
        user = accounts.find_user_by_email(session, _EMAIL)
        if user is None:
            user = create_user(session, email=_EMAIL, name=_NAME, password=make_key())
            session.flush()
            session.add(Membership(workspace_id=workspace_id, user_id=user.id, role=Role.OWNER))
        session.execute(delete(AccessToken).where(AccessToken.name == _NAME))
        return [
            create_token(
                session,
                workspace_id,
                name=_NAME,
                scope=TokenScope.READ,
                user_id=None,
                role=Role.OWNER,
                created_by_id=user.id,
                days=1,
                restrictions=Restrictions(),
            )[1]
            for _ in range(count)
        ]
