"""Access tokens."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StringConstraints

from backend.api.schemas import Name, RequestBody, Schema
from backend.core.statuses import TokenScope

Owner = Annotated[
    Literal["me", "workspace"],
    Field(
        description="me: the token never has more rights than your role, and stops when you leave."
        " workspace: it stays when its creator leaves; only owners manage it."
    ),
]
Names = Annotated[list[Name], Field(min_length=1, max_length=100)]


class TokenIn(RequestBody):
    name: Annotated[Name, StringConstraints(min_length=1)] = Field(examples=["Nightly CI"])
    scope: TokenScope
    owner: Owner = "me"
    days: int | None = Field(
        None,
        ge=1,
        le=3_650,
        strict=True,
        description="Number of days until it expires. Null: never.",
    )
    hosts: Names | None = Field(
        None,
        examples=[["bench-01"]],
        description="Names of the hosts that its runs may use. Null: all.",
    )
    frameworks: Names | None = Field(
        None,
        examples=[["node", "gin"]],
        description="Slugs of the frameworks that its runs may use. Null: all.",
    )


class TokenOut(Schema):
    id: UUID
    name: str = Field(examples=["Nightly CI"])
    prefix: str = Field(
        examples=["tacho_Zk3vQ9"], description="The first characters, to recognise the token."
    )
    scope: TokenScope
    owner: Owner
    hosts: list[str] | None
    frameworks: list[str] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = Field(description="Revoked tokens are listed for 30 days.")
    last_used_at: datetime | None = Field(description="To the minute. Null if it was never used.")
    last_address: str | None = Field(
        examples=["203.0.113.5"], description="Network address of the last request."
    )


class NewTokenOut(TokenOut):
    token: str = Field(
        examples=["tacho_Zk3vQ9hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiR"],
        description="The token, to send as `Authorization: Bearer …`. No other response contains"
        " it.",
    )
