"""Sign-ins of the command line. All codes are in bodies only, so that no log contains them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StringConstraints

from backend.api.schemas import Name, RequestBody, Schema
from backend.core.people.tokens.device_logins import INTERVAL_SECONDS, LIFETIME_SECONDS
from backend.core.statuses import TokenScope

ClientName = Annotated[
    Name, StringConstraints(min_length=1), Field(examples=["tacho on adas-laptop"])
]
UserCode = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        examples=["WDJB-MJHT"],
        description="The code that the terminal shows. Spaces, hyphens and case do not matter.",
    ),
]


class DeviceLoginIn(RequestBody):
    client_name: ClientName = Field(
        description="Name of the program and its machine. It becomes the name of the token."
    )
    scope: TokenScope


class NewDeviceLoginOut(Schema):
    device_code: str = Field(
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="Secret of the program, with which it requests the token.",
    )
    user_code: str = Field(
        examples=["WDJB-MJHT"], description="The code that the person enters in the browser."
    )
    verification_url: str = Field(
        examples=["https://tacho.example/device"],
        description="The page on which the person enters the code.",
    )
    expires_in: int = Field(
        LIFETIME_SECONDS, description="Number of seconds until both codes expire."
    )
    interval: int = Field(
        INTERVAL_SECONDS, description="Number of seconds to wait between requests of the token."
    )


class DeviceCode(RequestBody):
    device_code: str = Field(
        min_length=1,
        max_length=200,
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
    )


class PendingOut(Schema):
    """Nobody has approved or denied the sign-in yet."""

    status: Literal["pending"]


class DeviceTokenOut(Schema):
    """The access token of an approved sign-in."""

    status: Literal["approved"]
    token: str = Field(
        examples=["tacho_Zk3vQ9hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiR"],
        description="The token, to send as `Authorization: Bearer …`. No other response contains"
        " it.",
    )
    scope: TokenScope = Field(
        description="The person who approved may have chosen another scope than the requested one."
    )
    workspace: str = Field(examples=["main"], description="Slug of the workspace of the token.")
    expires_at: datetime


TokenPickUp = Annotated[PendingOut | DeviceTokenOut, Field(discriminator="status")]


class UserCodeIn(RequestBody):
    user_code: UserCode


class DeviceLoginOut(Schema):
    """A sign-in of the command line, for the person who decides it."""

    client_name: str = Field(
        examples=["tacho on adas-laptop"], description="The name that the program gives itself."
    )
    address: str = Field(
        examples=["203.0.113.5"], description="Network address that it was started from."
    )
    scope: TokenScope
    started_at: datetime


class DecisionIn(UserCodeIn):
    approve: StrictBool
    scope: TokenScope | None = Field(
        None, description="Scope of the token. Null: the requested scope."
    )
