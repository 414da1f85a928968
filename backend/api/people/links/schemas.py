"""One-time links. Their keys are in bodies only, so that no log of requests contains them."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from backend.api.schemas import Email, PersonName, RequestBody, Schema
from backend.core.people.accounts.passwords import LONGEST
from backend.core.statuses import LinkPurpose, Role


class LinkKey(RequestBody):
    key: str = Field(
        min_length=1,
        max_length=200,
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="The part of the link after `#`.",
    )


class LinkUse(LinkKey):
    name: PersonName | None = Field(None, description="Required for a new account.")
    email: Email | None = Field(
        None, description="Required for a new account, unless the link names the address."
    )
    password: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST,
        examples=["correct horse battery"],
        description="The new password, or that of your account. Not needed to accept an invitation"
        " in a browser that is signed in.",
    )


class ResetRequest(RequestBody):
    email: Email


class LinkOut(Schema):
    """The purpose of a one-time link, and the person whom it names."""

    purpose: Literal[LinkPurpose.FIRST_OPERATOR, LinkPurpose.INVITATION, LinkPurpose.PASSWORD_RESET]
    email: str | None = Field(description="The only person who may use it, if it names one.")
    workspace: str | None = Field(
        examples=["Main"], description="Name of the workspace of an invitation."
    )
    role: Role | None = Field(description="Role that an invitation gives.")
    expires_at: datetime
    has_account: bool = Field(description="Whether the person whom the link names has an account.")
