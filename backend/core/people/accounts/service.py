"""Sign in and out, the own account, and the users of the installation."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from backend.core.errors import Conflict, Unauthorized, WrongPassword
from backend.core.models import User, UserSession
from backend.core.people.access.keys import hash_key, make_key
from backend.core.people.accounts import passwords, repository
from backend.core.people.audit.recording import get_actor, set_actor
from backend.core.statuses import LinkPurpose

SESSION_LIFETIME = timedelta(days=30)
_LONGEST_USER_AGENT = 300
# The same for an unknown address, a wrong password and a disabled user, which must look alike.
_WRONG = (
    "The e-mail address or the password is wrong, or the account is disabled. If you forgot the "
    "password, request a reset link from an operator."
)


@dataclass(frozen=True)
class Browser:
    """A browser that signs in.

    Attributes:
        key: the value of the session cookie that it sent; None without one.
    """

    address: str
    user_agent: str
    key: str | None = None


def sign_in(session: Session, email: str, password: str, browser: Browser) -> str:
    """Start a session of a user, and return its key for the cookie.

    Raises:
        Unauthorized: as check_password.
    """
    return start_session(session, browser, user=check_password(session, email, password))


def check_password(session: Session, email: str, password: str) -> User:
    """Return the user with this e-mail address and password, locked until commit.

    Raises:
        Unauthorized: there is no such user, the password is wrong, or the user is disabled.
    """
    found = repository.find_user_by_email(session, email)
    checked = None if found is None else found.password_hash
    if not passwords.is_right(password, checked) or found is None or checked is None:
        raise Unauthorized(_WRONG)
    # The password may have been reset, or the user disabled, while it was checked.
    user = repository.lock_user(session, found.id)
    if user.password_hash != checked or user.disabled_at is not None:
        raise Unauthorized(_WRONG)
    if passwords.is_outdated(checked):
        user.password_hash = passwords.hash_password(password)
    return user


def start_session(
    session: Session,
    browser: Browser,
    *,
    user: User | None = None,
    token: str | None = None,
    workspace_id: UUID | None = None,
) -> str:
    """Start a session with a new key, and return the key. The browser's old session ends.

    Args:
        user: who signs in; None with TACHO_TOKEN.
        token: the TACHO_TOKEN that the browser signs in with.
        workspace_id: the workspace that the browser shows; None for the first one.
    """
    if user is None:
        act_as(session, "TACHO_TOKEN")
    else:
        act_as(session, user.email, user.id)
    end_session(session, browser.key)
    repository.delete_expired_sessions(session)
    key = make_key()
    session.add(
        UserSession(
            key_hash=hash_key(key),
            user_id=user and user.id,
            token_hash=token and hash_key(token),
            workspace_id=workspace_id,
            address=browser.address,
            user_agent=browser.user_agent[:_LONGEST_USER_AGENT],
            expires_at=datetime.now(UTC) + SESSION_LIFETIME,
        )
    )
    session.flush()
    return key


def act_as(session: Session, label: str, user_id: UUID | None = None) -> None:
    """Attribute the changes of a request to the person who is signing in."""
    set_actor(session, replace(get_actor(session), label=label, user_id=user_id))


def end_session(session: Session, key: str | None) -> None:
    """Delete the session of a cookie, if there is one."""
    found = key and repository.find_session_by_key(session, hash_key(key))
    if found:
        session.delete(found)
        session.flush()


def end_sessions(session: Session, user_id: UUID, *, keep: UUID | None = None) -> None:
    """Delete all sessions of a user, except the one to keep."""
    for found in repository.list_sessions(session, user_id):
        if found.id != keep:
            session.delete(found)
    session.flush()


def revoke_session(session: Session, user_id: UUID, session_id: UUID) -> None:
    """Delete a session of a user. Raises NotFound if the user has no such session."""
    session.delete(repository.get_session_of_user(session, user_id, session_id))
    session.flush()


def show_workspace(session: Session, session_id: UUID, workspace_id: UUID) -> None:
    """Store which workspace a browser shows."""
    repository.get_session(session, session_id).workspace_id = workspace_id
    session.flush()


def rename_user(session: Session, user_id: UUID, name: str) -> User:
    """Change the name of a user."""
    user = repository.get_user(session, user_id)
    user.name = name
    session.flush()
    return user


def change_password(
    session: Session, user_id: UUID, current: str, new: str, *, keep: UUID | None
) -> None:
    """Change the password of a user, and end all sessions except the one to keep.

    Raises:
        WrongPassword: the current password is wrong.
        InvalidRequest: the new password is too short or too long.
    """
    user = repository.lock_user(session, user_id)
    if not passwords.is_right(current, user.password_hash):
        detail = "is not your current password; correct it."
        raise WrongPassword.about("current", detail)
    set_password(session, user, new, keep=keep)


def set_password(session: Session, user: User, password: str, *, keep: UUID | None = None) -> None:
    """Set a password, and end all sessions and reset links of the user, except `keep`."""
    passwords.check_new_password(password)
    user.password_hash = passwords.hash_password(password)
    _delete_reset_links(session, user)
    end_sessions(session, user.id, keep=keep)


def remove_password(session: Session, user: User) -> None:
    """Remove the password of a user, and end all sessions and reset links of the user."""
    user.password_hash = None
    _delete_reset_links(session, user)
    end_sessions(session, user.id)


def create_user(
    session: Session, *, email: str, name: str, password: str | None, is_operator: bool = False
) -> User:
    """Create a user.

    Args:
        password: None for a person who only signs in through an identity provider.

    Raises:
        InvalidRequest: the password is too short or too long.
        Conflict: another user has the e-mail address.
    """
    if password is not None:
        passwords.check_new_password(password)
    user = User(
        email=email.lower(),
        name=name,
        password_hash=None if password is None else passwords.hash_password(password),
        is_operator=is_operator,
    )
    try:
        with session.begin_nested():
            session.add(user)
    except IntegrityError as error:
        raise Conflict(f"A user with the e-mail address {email!r} exists already.") from error
    return user


def change_user(
    session: Session,
    user_id: UUID,
    *,
    is_operator: bool | None = None,
    is_disabled: bool | None = None,
) -> User:
    """Make a user an operator or not, or disable or enable the user.

    Disabling ends the user's sessions, and the user's tokens stop working.

    Raises:
        NotFound.
        Conflict: no other operator would be left.
    """
    operators = repository.lock_active_operators(session)
    user = repository.lock_user(session, user_id)
    is_removed = is_operator is False or is_disabled is True
    if is_removed and [operator.id for operator in operators] == [user.id]:
        raise Conflict(
            f"{user.email} is the last operator of this installation. Make another user an "
            "operator first."
        )
    if is_operator is not None:
        user.is_operator = is_operator
    if is_disabled is True and user.disabled_at is None:
        user.disabled_at = datetime.now(UTC)
        _delete_reset_links(session, user)
        end_sessions(session, user.id)
    elif is_disabled is False:
        user.disabled_at = None
    session.flush()
    return user


def _delete_reset_links(session: Session, user: User) -> None:
    purpose = LinkPurpose.PASSWORD_RESET
    for link in repository.list_unused_links(session, purpose, user.id):
        session.delete(link)
