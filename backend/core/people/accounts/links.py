"""One-time links: for the first operator, for invitations, to reset a password, and for hosts.

The key of a link is shown once, and works once. Using a link locks its row, so of two concurrent
uses only one succeeds.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import Conflict, InvalidRequest, NotFound
from backend.core.models import Membership, OneTimeLink, User
from backend.core.people.access.keys import hash_key, make_key
from backend.core.people.accounts import repository, service
from backend.core.people.accounts.service import Browser
from backend.core.statuses import LinkPurpose, Role

FIRST_OPERATOR_LIFETIME = timedelta(hours=24)
RESET_LIFETIME = timedelta(hours=24)

_UNUSABLE = (
    "This link does not work: it was used or withdrawn, or it has expired. Request a new "
    "one from the person who sent it."
)


@dataclass(frozen=True)
class NewLink:
    """A link that was just created. The key is stored nowhere."""

    id: UUID
    key: str
    expires_at: datetime


@dataclass(frozen=True)
class LinkAnswer:
    """The values that a person entered on the page of a link."""

    password: str | None = None
    email: str | None = None
    name: str | None = None


def create_link(
    session: Session,
    purpose: LinkPurpose,
    lifetime: timedelta,
    *,
    email: str | None = None,
    workspace_id: UUID | None = None,
    role: Role | None = None,
    user_id: UUID | None = None,
    host_name: str | None = None,
    created_by_id: UUID | None = None,
) -> NewLink:
    """Create a link with a new key.

    Args:
        email: the only person who may use it; None for anyone who has the link.
        workspace_id, role: of an invitation.
        user_id: whose password the link resets.
        host_name: of the bench host that joins.
    """
    key = make_key()
    link = OneTimeLink(
        purpose=purpose,
        key_hash=hash_key(key),
        email=email and email.lower(),
        workspace_id=workspace_id,
        role=role,
        user_id=user_id,
        host_name=host_name,
        created_by_id=created_by_id,
        expires_at=datetime.now(UTC) + lifetime,
    )
    session.add(link)
    session.flush()
    return NewLink(link.id, key, link.expires_at)


def create_first_operator_link(session: Session) -> NewLink:
    """Create a link with which the first operator creates an account.

    Raises:
        Conflict: there are users already.
    """
    if repository.has_users(session):
        raise Conflict(
            "This installation has users already. An operator manages them in the browser; `tacho "
            "operator --email` creates a link that resets an operator's password."
        )
    for link in repository.list_unused_links(session, LinkPurpose.FIRST_OPERATOR):
        if link.expires_at <= datetime.now(UTC):
            session.delete(link)
    return create_link(session, LinkPurpose.FIRST_OPERATOR, FIRST_OPERATOR_LIFETIME)


def create_reset_link(session: Session, user: User, created_by_id: UUID | None = None) -> NewLink:
    """Create a link that sets a new password. It replaces earlier ones for the user.

    Raises:
        Conflict: the user is disabled.
    """
    if user.disabled_at is not None:
        raise Conflict(f"{user.email} is disabled. Enable the account first.")
    for link in repository.list_unused_links(session, LinkPurpose.PASSWORD_RESET, user.id):
        session.delete(link)
    return create_link(
        session,
        LinkPurpose.PASSWORD_RESET,
        RESET_LIFETIME,
        email=user.email,
        user_id=user.id,
        created_by_id=created_by_id,
    )


def create_mailed_reset_link(session: Session, email: str) -> NewLink | None:
    """Create a reset link for an enabled user; None if no such user has this e-mail address.

    Earlier links stay: an anonymous visitor who requests this must not end the link of an operator.
    """
    user = repository.find_user_by_email(session, email)
    if user is None or user.disabled_at is not None:
        return None
    return create_link(
        session, LinkPurpose.PASSWORD_RESET, RESET_LIFETIME, email=user.email, user_id=user.id
    )


def create_operator_reset_link(session: Session, email: str) -> NewLink:
    """Create a reset link for an operator.

    Raises:
        NotFound: no operator has this e-mail address.
        Conflict: the operator is disabled.
    """
    user = repository.find_user_by_email(session, email)
    if user is None or not user.is_operator:
        raise NotFound(f"No operator has the e-mail address {email!r}. Correct it.")
    return create_reset_link(session, user)


def read_link(session: Session, key: str) -> OneTimeLink:
    """Return a link that can be used; raise NotFound for any other."""
    link = repository.find_usable_link(session, hash_key(key), is_locked=False)
    if link is None or _is_too_late(session, link):
        raise NotFound(_UNUSABLE)
    return link


def has_account(session: Session, link: OneTimeLink) -> bool:
    """Return whether the person for whom a link is has an account."""
    email = link.email
    return email is not None and repository.find_user_by_email(session, email) is not None


def use_link(
    session: Session,
    key: str,
    answer: LinkAnswer,
    browser: Browser,
    signed_in_id: UUID | None = None,
) -> str:
    """Do what a link is for, sign the person in, and return the key of the session.

    Args:
        signed_in_id: the user who is signed in in this browser; None without one.

    Raises:
        NotFound: the link is unknown, used or expired.
        InvalidRequest: the answer lacks something that this link needs.
        Unauthorized: there is an account with this e-mail address, and its password is another.
        Conflict: the invitation is for someone else, or the person is a member already.
    """
    link = lock_link(session, hash_key(key))
    if link.purpose is LinkPurpose.FIRST_OPERATOR:
        user = _create_first_operator(session, answer)
    elif link.purpose is LinkPurpose.PASSWORD_RESET:
        user = _reset_password(session, link, answer)
    else:
        user = _find_invited(session, link, answer, signed_in_id)
        join(session, link, user)
    return finish(session, link, user, browser)


def lock_link(session: Session, key_hash: str) -> OneTimeLink:
    """Return a link that can be used, locked until commit; raise NotFound for any other."""
    link = repository.find_usable_link(session, key_hash, is_locked=True)
    if link is None:
        raise NotFound(_UNUSABLE)
    return link


def join(session: Session, link: OneTimeLink, user: User) -> None:
    """Make a user a member of the workspace of an invitation.

    Raises:
        Conflict: the invitation is for someone else, or the user is a member already.
    """
    assert link.workspace is not None
    assert link.role is not None
    check_invited(link, user.email)
    if repository.find_membership(session, link.workspace.id, user.id) is not None:
        raise Conflict(
            f"{user.email} is a member of workspace {link.workspace.slug!r} already. An owner of "
            "the workspace can change the role."
        )
    session.add(Membership(workspace_id=link.workspace.id, user_id=user.id, role=link.role))


def check_invited(link: OneTimeLink, email: str) -> None:
    """Raise Conflict if an invitation names another person."""
    if link.email is not None and link.email != email.lower():
        raise Conflict(
            f"This invitation is for {link.email}, not for {email}. Sign out, or request another "
            "invitation."
        )


def is_first_user(session: Session) -> bool:
    """Return whether an invited person without an account will be the first user.

    The local owner may have invited the first person. From then on everyone has to sign in, so that
    person operates the installation. Until commit, no other request creates the first user.
    """
    repository.lock_first_workspace(session)
    return not repository.has_users(session)


def finish(session: Session, link: OneTimeLink, user: User, browser: Browser) -> str:
    """Mark a link as used, sign its user in, and return the key of the session."""
    service.act_as(session, user.email, user.id)
    link.used_at = datetime.now(UTC)
    return service.start_session(session, browser, user=user, workspace_id=link.workspace_id)


def _is_too_late(session: Session, link: OneTimeLink) -> bool:
    """Return whether another person became the first operator."""
    return link.purpose is LinkPurpose.FIRST_OPERATOR and repository.has_users(session)


def _create_first_operator(session: Session, answer: LinkAnswer) -> User:
    # Several links may exist. The lock makes their uses wait for each other.
    workspace = repository.lock_first_workspace(session)
    if repository.has_users(session):
        raise NotFound(_UNUSABLE)
    user = _create_user(session, answer, _require("email", answer.email), is_operator=True)
    session.add(Membership(workspace_id=workspace.id, user_id=user.id, role=Role.OWNER))
    return user


def _reset_password(session: Session, link: OneTimeLink, answer: LinkAnswer) -> User:
    assert link.user_id is not None
    user = repository.lock_user(session, link.user_id)
    if user.disabled_at is not None:
        raise NotFound(_UNUSABLE)
    service.act_as(session, user.email, user.id)
    service.set_password(session, user, _require("password", answer.password))
    return user


def _find_invited(
    session: Session, link: OneTimeLink, answer: LinkAnswer, signed_in_id: UUID | None
) -> User:
    """Return who accepts an invitation: who is signed in, who has the account, or a new user."""
    if signed_in_id is not None:
        user = repository.lock_user(session, signed_in_id)
        check_invited(link, user.email)
        return user
    email = _require("email", answer.email or link.email)
    check_invited(link, email)
    if repository.find_user_by_email(session, email) is None:
        return _create_user(session, answer, email, is_operator=is_first_user(session))
    return service.check_password(session, email, _require("password", answer.password))


def _create_user(
    session: Session, answer: LinkAnswer, email: str, *, is_operator: bool = False
) -> User:
    service.act_as(session, email.lower())
    return service.create_user(
        session,
        email=email,
        name=_require("name", answer.name),
        password=_require("password", answer.password),
        is_operator=is_operator,
    )


def _require(field: str, given: str | None) -> str:
    if not given:
        detail = "is required for this link; add it."
        raise InvalidRequest.about(field, detail)
    return given
