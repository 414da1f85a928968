"""/invitations: links with which people join the workspace of the request."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Request
from pydantic import Field
from sqlalchemy.orm import Session

from backend.addresses import join_page
from backend.api.access.origin import find_origin
from backend.api.deps import CallerDep, SessionDep, WorkspaceDep, needs
from backend.api.http.follow_ups import follow_ups
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Email, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.models import OneTimeLink
from backend.core.people.access.permissions import Permission
from backend.core.people.workspaces import repository, service
from backend.core.statuses import Role


class InvitationIn(RequestBody):
    email: Email | None = Field(
        None, description="The invited person. Null: anyone with the link may accept it, once."
    )
    role: Role
    days: int = Field(
        7, ge=1, le=90, strict=True, description="Number of days until the link expires."
    )


class InvitationOut(Schema):
    id: UUID
    email: str | None = Field(
        examples=["bo@example.org"], description="Null if anyone with the link may accept it."
    )
    role: Role
    created_at: datetime
    expires_at: datetime
    created_by: str | None = Field(
        examples=["ada@example.org"], description="E-mail address. Null without an account."
    )


class NewInvitationOut(InvitationOut):
    url: str = Field(
        examples=["https://tacho.example/join#hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="The link to send to the person. It works once. No other response contains it.",
    )


router = NounRouter(
    prefix="/invitations", tags=["invitations"], dependencies=[needs(Permission.OWN)]
)

InvitationId = Annotated[UUID, Path(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])]


@router.get("", responses=problems(401, 403))
def list_invitations(session: SessionDep, workspace_id: WorkspaceDep) -> Page[InvitationOut]:
    """Return the invitations that can still be accepted, newest first."""
    found = repository.list_invitations(session, workspace_id)
    emails = _list_creators(session, found)
    return Page(
        items=[
            InvitationOut.of(invitation, created_by=emails[invitation.created_by_id])
            for invitation in found
        ]
    )


@router.post(
    "",
    status_code=201,
    responses=problems(401, 403, 409, 413, 422)
    | follow_ups(201, "invitation_id", "id", "revoke_invitation"),
)
def create_invitation(
    request: Request,
    session: SessionDep,
    caller: CallerDep,
    workspace_id: WorkspaceDep,
    body: InvitationIn,
) -> NewInvitationOut:
    """Create a link with which a person joins the workspace. Only this response contains it."""
    invitation, key = service.invite(
        session,
        workspace_id,
        email=body.email,
        role=body.role,
        days=body.days,
        created_by_id=caller.actor.user_id,
    )
    origin = find_origin(request)
    emails = _list_creators(session, [invitation])
    return NewInvitationOut.of(
        invitation,
        created_by=emails[invitation.created_by_id],
        url=f"{origin}{join_page(key)}",
    )


@router.delete("/{invitation_id}", status_code=204, responses=problems(401, 403, 404, 413, 422))
def revoke_invitation(
    session: SessionDep, workspace_id: WorkspaceDep, invitation_id: InvitationId
) -> None:
    """Revoke an invitation. Its link then does not work."""
    service.revoke_invitation(session, workspace_id, invitation_id)


def _list_creators(
    session: Session, invitations: Sequence[OneTimeLink]
) -> Mapping[UUID | None, str | None]:
    """Return the e-mail address of the creator of each invitation, by id."""
    creators = {invitation.created_by_id for invitation in invitations}
    emails = repository.list_emails(session, [creator for creator in creators if creator])
    return {creator: emails.get(creator) if creator else None for creator in creators}
