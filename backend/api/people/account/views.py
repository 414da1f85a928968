"""Identities and sessions as the API shows them."""

from uuid import UUID

from backend.api.people.account.schemas import BrowserSessionOut, IdentityOut
from backend.core.models import Identity, UserSession


def identity_out(identity: Identity) -> IdentityOut:
    return IdentityOut(
        issuer=identity.issuer, subject=identity.subject, created_at=identity.created_at
    )


def browser_session_out(stored: UserSession, current_id: UUID | None) -> BrowserSessionOut:
    return BrowserSessionOut(
        id=stored.id,
        is_current=stored.id == current_id,
        address=stored.address,
        user_agent=stored.user_agent,
        created_at=stored.created_at,
        last_seen_at=stored.last_seen_at,
        expires_at=stored.expires_at,
    )
