"""The users of the installation, for operators."""

from datetime import datetime
from uuid import UUID

from pydantic import Field, StrictBool

from backend.api.schemas import RequestBody, Schema
from backend.core.statuses import Role


class RoleOut(RequestBody, Schema):
    """A user's role in a workspace."""

    workspace: str = Field(examples=["main"], description="Slug of the workspace.")
    role: Role


class UserOut(Schema):
    id: UUID
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    is_operator: bool = Field(
        description="Whether the user manages hosts, users and workspaces of the installation."
    )
    created_at: datetime
    disabled_at: datetime | None = Field(
        description="Since when the user cannot sign in. Null if the user can."
    )
    last_seen_at: datetime | None = Field(
        description="Last request of a browser that is still signed in."
    )
    roles: list[RoleOut]


class UserPatch(RequestBody):
    is_operator: StrictBool | None = None
    disabled: StrictBool | None = Field(
        None, description="Disabling ends the user's sessions and stops the user's access tokens."
    )


class ResetLinkOut(Schema):
    url: str = Field(
        examples=["https://tacho.example/join#hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="Give it to the user. It works once. No other response contains it.",
    )
    expires_at: datetime
