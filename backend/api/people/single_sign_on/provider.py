"""Talk to the OpenID Connect provider of the settings.

Functions import Authlib themselves, because the API does not need it to start.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import anyio
from pydantic import TypeAdapter, ValidationError

from backend.api.schemas import Email, PersonName
from backend.core.people.accounts.identities import Claims, SignInRefusal, SignInRefused

if TYPE_CHECKING:
    from authlib.integrations.starlette_client import StarletteOAuth2App

logger = logging.getLogger(__name__)

SCOPE = "openid email profile"
_TIMEOUT_SECONDS = 10.0
# How far the clocks of the provider and of this machine may differ.
_LEEWAY_SECONDS = 60
# An ID token without a signature, or signed with the client secret, is refused.
_ALGORITHMS = frozenset(
    f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)
) | {"EdDSA", "Ed25519"}
_EMAIL: TypeAdapter[str] = TypeAdapter(Email)
_NAME: TypeAdapter[str] = TypeAdapter(PersonName)


@dataclass(frozen=True)
class Authorization:
    """The address of the provider's sign-in page, and the secrets of this flow."""

    url: str
    state: str
    nonce: str
    code_verifier: str


class Provider:
    """An OpenID Connect provider. Its addresses and keys are fetched when they are needed first."""

    def __init__(self, issuer: str, client_id: str, client_secret: str) -> None:
        self._issuer = issuer
        self._client_id = client_id
        self._app = _make_app(issuer, client_id, client_secret)

    async def authorize(self, redirect_url: str) -> Authorization:
        """Return where a person signs in. Raises SignInRefused."""
        with self._explain():
            await self._load_metadata()
            made = await self._app.create_authorization_url(redirect_url)
        return Authorization(made["url"], made["state"], made["nonce"], made["code_verifier"])

    async def exchange(
        self, code: str, redirect_url: str, code_verifier: str, nonce: str
    ) -> Claims:
        """Return the checked claims of the person to whom the provider gave a code.

        Raises:
            SignInRefused.
        """
        with self._explain():
            await self._load_metadata()
            with anyio.fail_after(_TIMEOUT_SECONDS):
                token = await self._app.fetch_access_token(
                    code=code, redirect_uri=redirect_url, code_verifier=code_verifier
                )
                claims = await self._app.parse_id_token(
                    token,
                    nonce,
                    claims_options={
                        "iss": {"essential": True, "value": self._issuer},
                        "aud": {"essential": True, "value": self._client_id},
                        "sub": {"essential": True},
                    },
                    leeway=_LEEWAY_SECONDS,
                )
        if claims is None:
            logger.warning("The provider's answer has no ID token. Is the scope openid allowed?")
            raise SignInRefused(SignInRefusal.ANSWER_INVALID)
        return _read_claims(claims)

    async def _load_metadata(self) -> None:
        with anyio.fail_after(_TIMEOUT_SECONDS):
            metadata = await self._app.load_server_metadata()
        if metadata.get("issuer") != self._issuer:
            # Fetch it again for the next person: the operator may have corrected the provider.
            metadata.clear()
            raise ValueError("the provider states another issuer than TACHO_OIDC_ISSUER")
        offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = [
            name for name in offered if name in _ALGORITHMS
        ]
        methods = metadata.get("token_endpoint_auth_methods_supported")
        if methods and "client_secret_basic" not in methods and "client_secret_post" in methods:
            self._app.client_kwargs["token_endpoint_auth_method"] = "client_secret_post"  # noqa: S105

    @contextmanager
    def _explain(self) -> Iterator[None]:
        """Convert errors of the provider to refusals. Messages contain neither codes nor tokens."""
        import httpx2  # noqa: PLC0415  see the module's docstring
        from authlib.integrations.base_client import OAuthError  # noqa: PLC0415
        from joserfc.errors import JoseError  # noqa: PLC0415

        try:
            yield
        except OAuthError as error:
            logger.warning("The provider %s refused a sign-in: %s", self._issuer, error.error)
            raise SignInRefused(SignInRefusal.ANSWER_INVALID) from None
        except JoseError as error:
            logger.warning("An ID token of %s is invalid: %s", self._issuer, error)
            raise SignInRefused(SignInRefusal.ANSWER_INVALID) from None
        except (httpx2.HTTPError, TimeoutError, ValueError, RuntimeError) as error:
            logger.warning(
                "The provider %s does not answer: %s: %s",
                self._issuer,
                type(error).__name__,
                error,
            )
            raise SignInRefused(SignInRefusal.PROVIDER_UNREACHABLE) from None


@lru_cache(maxsize=1)
def get_provider(issuer: str, client_id: str, client_secret: str) -> Provider:
    """Return the provider of the settings. It keeps what it has fetched."""
    return Provider(issuer, client_id, client_secret)


def _make_app(issuer: str, client_id: str, client_secret: str) -> StarletteOAuth2App:
    from authlib.integrations.starlette_client import (  # noqa: PLC0415  see the module's docstring
        StarletteIntegration,
        StarletteOAuth2App,
    )

    # At DEBUG, Authlib logs code verifiers.
    logging.getLogger("authlib").setLevel(logging.INFO)
    return StarletteOAuth2App(
        StarletteIntegration("tacho"),
        name="tacho",
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        user_agent="Tacho",
        client_kwargs={
            "scope": SCOPE,
            "code_challenge_method": "S256",
            "timeout": _TIMEOUT_SECONDS,
        },
    )


def _read_claims(claims: Mapping[str, object]) -> Claims:
    email = claims.get("email") if claims.get("email_verified") is True else None
    try:
        checked = None if email is None else _EMAIL.validate_python(email)
    except ValidationError:
        raise SignInRefused(SignInRefusal.ANSWER_INVALID) from None
    return Claims(str(claims["iss"]), str(claims["sub"]), checked, _read_name(claims, checked))


def _read_name(claims: Mapping[str, object], email: str | None) -> str:
    """Return the person's name, or else the user name or the beginning of the address."""
    for name in (claims.get("name"), claims.get("preferred_username")):
        try:
            return _NAME.validate_python(name)
        except ValidationError:
            continue
    return (email or "").partition("@")[0]
