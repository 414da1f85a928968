"""Signing in at an OpenID Connect provider."""

import re
import unicodedata
from posixpath import normpath
from urllib.parse import unquote, urlsplit

from pydantic import Field, RootModel, field_validator

from backend.api.schemas import RequestBody
from backend.core.bodies import Schema
from backend.core.people.accounts.identities import SignInRefusal

# Not "//host" or "/\host", which browsers read as another site.
_OWN_PATH = re.compile(r"/(?![/\\])")
_SIGN_IN_PAGES = frozenset({"/sign-in", "/join"})


def is_return_path(text: str) -> bool:
    """Return whether text is the path of a page of this installation that needs no signing in."""
    # Browsers remove some control characters from an address.
    if not _OWN_PATH.match(text) or any(unicodedata.category(sign) == "Cc" for sign in text):
        return False
    path = unquote(urlsplit(f"http://own.invalid{text}").path).replace("\\", "/")
    return normpath(path) not in _SIGN_IN_PAGES


class SignInStart(RequestBody):
    to: str = Field(
        "/",
        max_length=2000,
        examples=["/runs"],
        description="Path of the page to show after signing in.",
    )
    link_key: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="Key of an invitation to accept: the part of the link after `#`.",
    )

    @field_validator("to")
    @classmethod
    def _stay_here(cls, path: str) -> str:
        if not is_return_path(path):
            raise ValueError(
                "must be the path of a page of this Tacho that needs no signing in, such as /runs"
            )
        return path


class SignInAddress(Schema):
    url: str = Field(
        examples=["https://login.example.org/auth?client_id=tacho"],
        description="Address of the provider's page on which the person signs in.",
    )


class SignInRefusalReason(RootModel[SignInRefusal]):
    """Why single sign-on failed: the parameter `refused` of the sign-in page."""
