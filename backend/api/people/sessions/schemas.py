"""Signing in and out."""

from uuid import UUID

from pydantic import Field

from backend.api.access.caller import Proof
from backend.api.schemas import Email, Name, RequestBody, Schema
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts.passwords import LONGEST
from backend.core.statuses import Role


class SignIn(RequestBody):
    """Either an e-mail address with a password, or the token."""

    email: Email | None = None
    password: str | None = Field(
        None, min_length=1, max_length=LONGEST, examples=["correct horse battery"]
    )
    token: str | None = Field(
        None, min_length=1, max_length=1000, description="The value of TACHO_TOKEN."
    )


class WorkspaceChoice(RequestBody):
    workspace: Name = Field(examples=["main"], description="Slug of one of your workspaces.")


class AccountOut(Schema):
    """The account of a person."""

    id: UUID
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    is_operator: bool = Field(description="Whether the person operates this installation.")


class OwnWorkspaceOut(Schema):
    """A workspace of the caller."""

    id: UUID
    slug: str = Field(examples=["main"])
    name: str = Field(examples=["Main"])
    role: Role = Field(description="The caller's role in the workspace.")


class SignInWays(Schema):
    """How people can sign in to this installation."""

    password: bool = Field(description="With an e-mail address and a password.")
    token: bool = Field(description="With TACHO_TOKEN.")
    reset: bool = Field(description="Whether a link that sets a new password comes by e-mail.")
    oidc: str | None = Field(
        examples=["single sign-on"],
        description="With an OpenID Connect provider of this name. Null: without.",
    )


class SessionOut(Schema):
    """The caller: identity, permissions and workspaces."""

    permissions: list[Permission] = Field(
        description="The permissions in the workspace and in the installation."
    )
    proof: Proof | None = Field(
        description="How the caller is authenticated: a direct call from this machine, TACHO_TOKEN,"
        " an access token, or a session cookie. Null for anonymous visitors."
    )
    detail: str | None = Field(
        description="Why the caller is an anonymous visitor, and what to do about it."
    )
    is_single_user: bool = Field(
        description="Whether this machine's user owns everything without signing in."
    )
    sign_in: SignInWays
    user: AccountOut | None = Field(description="Null for everyone without an account.")
    workspace: OwnWorkspaceOut | None = Field(description="The workspace of the request.")
    workspaces: list[OwnWorkspaceOut]
