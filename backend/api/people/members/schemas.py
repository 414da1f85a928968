"""Members of a workspace."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import RequestBody, Schema
from backend.core.statuses import Role


class MemberPatch(RequestBody):
    role: Role


class MemberOut(Schema):
    user_id: UUID
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    role: Role
    created_at: datetime = Field(description="Time at which the user became a member.")
