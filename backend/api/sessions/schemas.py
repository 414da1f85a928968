"""Signing in and out."""

from pydantic import Field

from backend.api.access.caller import Proof
from backend.api.schemas import Schema


class SignIn(Schema):
    token: str = Field(
        min_length=1, max_length=1000, description="The value of TACHO_TOKEN.", examples=["s3cret"]
    )


class SessionOut(Schema):
    """The permissions of the caller."""

    can_write: bool = Field(
        description="Whether the caller may make changes and read private runs."
    )
    proof: Proof | None = Field(
        description="How the caller is authenticated: a direct call from this machine, the token,"
        " or a session cookie. Null for anonymous visitors."
    )
    can_sign_in: bool = Field(description="Whether this installation has a token to sign in with.")
    detail: str | None = Field(
        None, description="Why the caller may not make changes, and what to do about it."
    )
