"""The own account: name, password and sessions."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from backend.api.schemas import PersonName, RequestBody, Schema
from backend.core.people.accounts.passwords import LONGEST, SHORTEST


class AccountPatch(RequestBody):
    name: PersonName


class PasswordIn(RequestBody):
    current: str = Field(min_length=1, max_length=LONGEST, examples=["correct horse battery"])
    new: str = Field(
        min_length=SHORTEST, max_length=LONGEST, examples=["a longer correct horse battery"]
    )


class IdentityOut(Schema):
    """An account at the OpenID Connect provider with which the user can sign in."""

    issuer: str = Field(examples=["https://login.example.org"], description="The provider.")
    subject: str = Field(examples=["248289761001"], description="The user's id at the provider.")
    created_at: datetime = Field(description="Time of the first sign-in with it.")


class BrowserSessionOut(Schema):
    """A browser in which the user is signed in."""

    id: UUID
    is_current: bool = Field(description="Whether this request belongs to the session.")
    address: str = Field(
        examples=["203.0.113.5"], description="Network address of its last request."
    )
    user_agent: str = Field(examples=["Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"])
    created_at: datetime
    last_seen_at: datetime = Field(description="Time of the last request, to the minute.")
    expires_at: datetime
