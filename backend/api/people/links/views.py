"""One-time links as the API shows them."""

from backend.api.people.links.schemas import LinkOut
from backend.core.models import OneTimeLink


def link_out(link: OneTimeLink, *, has_account: bool) -> LinkOut:
    return LinkOut.model_validate(
        {
            "purpose": link.purpose,
            "email": link.email,
            "workspace": None if link.workspace is None else link.workspace.name,
            "role": link.role,
            "expires_at": link.expires_at,
            "has_account": has_account,
        }
    )
