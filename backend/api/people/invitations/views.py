"""Invitations as the API shows them."""

from collections.abc import Mapping
from uuid import UUID

from backend.api.people.invitations.schemas import InvitationOut, NewInvitationOut
from backend.core.models import OneTimeLink


def invitation_out(invitation: OneTimeLink, emails: Mapping[UUID, str]) -> InvitationOut:
    return InvitationOut.model_validate(_fields(invitation, emails))


def new_invitation_out(
    invitation: OneTimeLink, emails: Mapping[UUID, str], url: str
) -> NewInvitationOut:
    """With the link: for the response that creates it."""
    return NewInvitationOut.model_validate(_fields(invitation, emails) | {"url": url})


def _fields(invitation: OneTimeLink, emails: Mapping[UUID, str]) -> dict[str, object]:
    creator = invitation.created_by_id
    return {
        "id": invitation.id,
        "email": invitation.email,
        "role": invitation.role,
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
        "created_by": None if creator is None else emails.get(creator),
    }
