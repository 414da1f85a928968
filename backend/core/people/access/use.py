"""Store when sessions and access tokens were last used, at most once a minute."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, update
from sqlalchemy.orm import Session

from backend.core.models import AccessToken, UserSession


class Use(NamedTuple):
    """A request of a signed-in browser, or with an access token.

    Attributes:
        session_id, token_id: one of them is None.
        address: of the client.
    """

    session_id: UUID | None
    token_id: UUID | None
    address: str


def note_uses(session: Session, uses: Collection[Use]) -> None:
    """Store the time and address of these requests, the last ones of their session or token."""
    # Always in the same order, so that two transactions do not wait for each other in a cycle.
    for use in sorted(uses, key=str):
        if use.session_id is not None:
            of_session = update(UserSession).where(UserSession.id == use.session_id)
            session.execute(of_session.values(last_seen_at=func.now(), address=use.address))
        if use.token_id is not None:
            of_token = update(AccessToken).where(AccessToken.id == use.token_id)
            session.execute(of_token.values(last_used_at=func.now(), last_address=use.address))
