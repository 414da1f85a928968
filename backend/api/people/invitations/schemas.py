"""Invitations to a workspace."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import Email, RequestBody, Schema
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
