"""Access tokens as the API shows them."""

from backend.api.people.tokens.schemas import NewTokenOut, TokenOut
from backend.core.models import AccessToken


def token_out(token: AccessToken) -> TokenOut:
    return TokenOut.model_validate(_fields(token))


def new_token_out(token: AccessToken, secret: str) -> NewTokenOut:
    """With the token itself: for the response that creates it."""
    return NewTokenOut.model_validate(_fields(token) | {"token": secret})


def _fields(token: AccessToken) -> dict[str, object]:
    return {
        "id": token.id,
        "name": token.name,
        "prefix": token.prefix,
        "scope": token.scope,
        "owner": "workspace" if token.user_id is None else "me",
        "hosts": token.hosts,
        "frameworks": token.frameworks,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "last_used_at": token.last_used_at,
        "last_address": token.last_address,
    }
