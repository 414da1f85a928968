"""Sign in with a person's account at an OpenID Connect provider, and link it to a user.

The operator of the installation chose the provider, so its word about a verified e-mail address is
enough to link an account.
"""

import json
import secrets
from dataclasses import asdict, dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import Conflict, NotFound, Unauthorized
from backend.core.models import Identity, OneTimeLink, User
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import links, repository, service
from backend.core.people.accounts.service import Browser
from backend.core.queue import get_redis
from backend.core.statuses import LinkPurpose


class SignInRefusal(StrEnum):
    """Why single sign-on failed. The sign-in page explains each reason."""

    # The flow is unknown, expired or used, or another browser started it.
    NOT_STARTED = "not_started"
    PROVIDER_UNREACHABLE = "provider_unreachable"
    # The provider answered with an error, such as a refused consent.
    PROVIDER_REFUSED = "provider_refused"
    ANSWER_INVALID = "answer_invalid"
    NO_ACCOUNT = "no_account"
    EMAIL_UNVERIFIED = "email_unverified"
    DISABLED = "disabled"
    LINK_UNUSABLE = "link_unusable"
    OTHER_PERSON_INVITED = "other_person_invited"
    MEMBER_ALREADY = "member_already"


class SignInRefused(Unauthorized):
    """Single sign-on failed."""

    def __init__(self, reason: SignInRefusal) -> None:
        super().__init__(f"Single sign-on was refused: {reason}.")
        self.reason = reason


@dataclass(frozen=True)
class Claims:
    """The statements of a provider about a person, from a checked ID token.

    Attributes:
        email: None if the provider has not verified it.
    """

    issuer: str
    subject: str
    email: str | None
    name: str


def sign_in(session: Session, claims: Claims, link_hash: str | None, browser: Browser) -> str:
    """Start a session of the user whom the claims are about, and return its key.

    Args:
        link_hash: hash of the key of an invitation that the person accepts.

    Raises:
        SignInRefused: nothing has changed.
    """
    link = None if link_hash is None else _lock_invitation(session, link_hash)
    identity = repository.find_identity(session, claims.issuer, claims.subject)
    if identity is not None:
        user = _lock_enabled(session, identity.user_id)
        service.act_as(session, user.email, user.id)
    else:
        user = _link_or_create(session, claims, link)
    if link is None:
        return service.start_session(session, browser, user=user)
    _join(session, link, user)
    return links.finish(session, link, user, browser)


def _lock_invitation(session: Session, link_hash: str) -> OneTimeLink:
    try:
        link = links.lock_link(session, link_hash)
    except NotFound as error:
        raise SignInRefused(SignInRefusal.LINK_UNUSABLE) from error
    if link.purpose is not LinkPurpose.INVITATION:
        raise SignInRefused(SignInRefusal.LINK_UNUSABLE)
    return link


def _link_or_create(session: Session, claims: Claims, link: OneTimeLink | None) -> User:
    """Return the user with the verified e-mail address, or a new user with an invitation."""
    if claims.email is None:
        raise SignInRefused(SignInRefusal.EMAIL_UNVERIFIED)
    if link is not None:
        _check_invited(link, claims.email)
    found = repository.find_user_by_email(session, claims.email)
    if found is not None:
        user = _lock_enabled(session, found.id)
        service.act_as(session, user.email, user.id)
        # Nobody had proved that the address is theirs. The person who has now owns the account.
        service.remove_password(session, user)
    elif link is None:
        raise SignInRefused(SignInRefusal.NO_ACCOUNT)
    else:
        is_first = links.is_first_user(session)
        service.act_as(session, claims.email)
        user = service.create_user(
            session, email=claims.email, name=claims.name, password=None, is_operator=is_first
        )
    service.act_as(session, user.email, user.id)
    # The person may have signed in twice at the same time. The user is locked until commit.
    if repository.find_identity(session, claims.issuer, claims.subject) is None:
        session.add(Identity(issuer=claims.issuer, subject=claims.subject, user_id=user.id))
        session.flush()
    return user


def _lock_enabled(session: Session, user_id: UUID) -> User:
    user = repository.lock_user(session, user_id)
    if user.disabled_at is not None:
        raise SignInRefused(SignInRefusal.DISABLED)
    return user


def _check_invited(link: OneTimeLink, email: str) -> None:
    try:
        links.check_invited(link, email)
    except Conflict as error:
        raise SignInRefused(SignInRefusal.OTHER_PERSON_INVITED) from error


def _join(session: Session, link: OneTimeLink, user: User) -> None:
    _check_invited(link, user.email)
    try:
        links.join(session, link, user)
    except Conflict as error:
        raise SignInRefused(SignInRefusal.MEMBER_ALREADY) from error


LIFETIME_SECONDS = 600


@dataclass(frozen=True)
class SignInFlow:
    """A started sign-in: the values that are needed when the person comes back.

    Attributes:
        browser_hash: hash of the key in a cookie of the browser that started the flow.
        return_path: the page to show afterwards.
        link_hash: hash of the key of an invitation that the person accepts.
    """

    nonce: str
    code_verifier: str
    browser_hash: str
    return_path: str
    link_hash: str | None


def store_flow(state: str, flow: SignInFlow) -> None:
    """Store a flow. Raises redis.RedisError."""
    get_redis().set(_name_key(state), json.dumps(asdict(flow)), ex=LIFETIME_SECONDS)


def take_flow(state: str, browser_key: str) -> SignInFlow | None:
    """Return and delete the flow of a state; None if there is none, or another browser's.

    Raises:
        redis.RedisError.
    """
    found = get_redis().getdel(_name_key(state))
    if not isinstance(found, bytes):
        return None
    flow = SignInFlow(**json.loads(found))
    is_own = secrets.compare_digest(flow.browser_hash, hash_key(browser_key))
    return flow if is_own else None


def _name_key(state: str) -> str:
    return f"tacho:sign-in:{hash_key(state)}"
