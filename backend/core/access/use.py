"""Store when a session or an access token was last used, at most once a minute."""

from uuid import UUID

from sqlalchemy import func, update
from sqlalchemy.orm import Session

from backend.core.models import AccessToken, UserSession


def note_use_of_session(session: Session, session_id: UUID, address: str) -> None:
    """Store the time and address of the last request of a signed-in browser."""
    statement = update(UserSession).where(UserSession.id == session_id)
    session.execute(statement.values(last_seen_at=func.now(), address=address))


def note_use_of_token(session: Session, token_id: UUID, address: str) -> None:
    """Store the time and address of the last request with an access token."""
    statement = update(AccessToken).where(AccessToken.id == token_id)
    session.execute(statement.values(last_used_at=func.now(), last_address=address))
