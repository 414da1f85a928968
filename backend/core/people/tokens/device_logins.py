"""Sign-ins of the command line that wait for approval in a browser (as RFC 8628). Redis keeps them
for ten minutes.

Redis holds hashes of both codes and no token: the token is created when the command line picks it
up. If Redis loses a sign-in, the person starts again.
"""

import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

from redis import RedisError
from sqlalchemy.orm import Session

from backend.core.errors import Forbidden, LimitExceeded, NotFound, Unavailable, WrongCode
from backend.core.models import AccessToken, Membership
from backend.core.people.access.actor import Actor
from backend.core.people.access.keys import hash_key, make_key
from backend.core.people.audit.recording import set_actor
from backend.core.people.tokens import service
from backend.core.people.tokens.restrictions import Restrictions
from backend.core.people.workspaces import repository as workspaces
from backend.core.queue import get_redis
from backend.core.statuses import Role, TokenScope

LIFETIME_SECONDS = 600
INTERVAL_SECONDS = 5
TOKEN_DAYS = 90
# Without vowels, no word appears by chance (RFC 8628, section 6.1).
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
_LENGTH = 8
_SEPARATORS = re.compile(r"[\s-]")
# A request that was sent in time may arrive a little early.
_TOLERANCE_MS = 500
_WRONG_CODE = (
    "No sign-in waits with this code. Check the letters. A code works once, for 10 minutes. Run "
    "`tacho login` again to get another one."
)
_GONE = "This sign-in has expired or has ended already. Run `tacho login` again."
_DENIED = "The sign-in was denied in the browser. Run `tacho login` again to get another code."
_NOT_MEMBER = (
    "The person who approved this sign-in is not a member of the workspace any more, or the "
    "account is disabled. Run `tacho login` again."
)


class Decision(StrEnum):
    """The state of a sign-in of the command line."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"


@dataclass(frozen=True)
class DeviceLogin:
    """A started sign-in of the command line.

    Attributes:
        client_name: the name that the program gives itself. It becomes the name of the token.
        address: the network address that the sign-in was started from.
        started_at: in ISO format.
        user_id: the person who approved it; None before.
        workspace_id: the workspace that the token is for; None before the approval.
    """

    client_name: str
    scope: TokenScope
    address: str
    started_at: str
    decision: Decision = Decision.PENDING
    user_id: str | None = None
    workspace_id: str | None = None


def start(client_name: str, scope: TokenScope, address: str) -> tuple[str, str]:
    """Store a sign-in, and return its device code and user code. Raises Unavailable."""
    device_code, letters = make_key(), [secrets.choice(_LETTERS) for _ in range(_LENGTH)]
    user_code = "".join(letters)
    login = DeviceLogin(client_name, scope, address, datetime.now(UTC).isoformat())
    with _explain():
        _write(hash_key(device_code), login, exists=False)
        get_redis().set(_name_code(user_code), hash_key(device_code), ex=LIFETIME_SECONDS)
    return device_code, f"{user_code[:4]}-{user_code[4:]}"


def read(user_code: str) -> DeviceLogin:
    """Return the undecided sign-in of a user code. Raises WrongCode, Unavailable."""
    with _explain():
        device = get_redis().get(_name_code(user_code))
        login = _read(device.decode()) if isinstance(device, bytes) else None
    if login is None:
        raise WrongCode(_WRONG_CODE)
    return login


def approve(
    user_code: str, scope: TokenScope | None, *, user_id: UUID, workspace_id: UUID, role: Role
) -> DeviceLogin:
    """Approve a sign-in, and return it.

    Args:
        scope: of the token; None for the requested scope.
        role: of the person in the workspace.

    Raises:
        InvalidRequest: the scope exceeds the role.
        WrongCode: no sign-in waits with this code.
        Unavailable.
    """
    login = read(user_code)
    login = replace(login, scope=scope or login.scope, decision=Decision.APPROVED)
    service.check_scope(login.scope, role)
    return _decide(user_code, replace(login, user_id=str(user_id), workspace_id=str(workspace_id)))


def deny(user_code: str) -> DeviceLogin:
    """Deny a sign-in, and return it. Raises WrongCode, Unavailable."""
    return _decide(user_code, replace(read(user_code), decision=Decision.DENIED))


def is_approved(device_code: str) -> bool:
    """Return whether a person has approved a sign-in; False while nobody has decided it.

    Raises:
        Forbidden: the sign-in was denied. It is deleted.
        NotFound: the sign-in has expired, or its token was created.
        LimitExceeded: the last call for it was less than INTERVAL_SECONDS ago.
        Unavailable.
    """
    device = hash_key(device_code)
    with _explain():
        login = _read(device)
        if login is None:
            raise NotFound(_GONE)
        _check_interval(device)
        if login.decision is Decision.DENIED:
            get_redis().delete(_name_device(device))
            raise Forbidden(_DENIED)
    return login.decision is Decision.APPROVED


def create_token(session: Session, device_code: str, address: str) -> tuple[AccessToken, str]:
    """Create the token of an approved sign-in as the person who approved it. This works once.

    Args:
        address: the network address that picks up the token.

    Returns:
        The row, and the token itself.

    Raises:
        NotFound: the sign-in has expired, or its token was created.
        Forbidden: the person is not an enabled member of the workspace any more.
        InvalidRequest: the role of the person does not allow the scope any more.
        Conflict: the person has too many tokens.
        Unavailable.
    """
    device = hash_key(device_code)
    with _explain():
        login = _read(device)
    if login is None or login.user_id is None or login.workspace_id is None:
        raise NotFound(_GONE)
    user_id, workspace_id = UUID(login.user_id), UUID(login.workspace_id)
    member = _lock_enabled_member(session, workspace_id, user_id)
    # While the database does not answer, the sign-in stays. Only one of two simultaneous calls
    # deletes it.
    with _explain():
        is_first = bool(get_redis().delete(_name_device(device)))
    if not is_first:
        raise NotFound(_GONE)
    if member is None:
        raise Forbidden(_NOT_MEMBER)
    set_actor(session, Actor(member.user.email, user_id, None, address, workspace_id))
    return service.create_token(
        session,
        workspace_id,
        name=login.client_name,
        scope=login.scope,
        user_id=user_id,
        role=member.role,
        created_by_id=user_id,
        days=TOKEN_DAYS,
        restrictions=Restrictions(),
    )


def _lock_enabled_member(session: Session, workspace_id: UUID, user_id: UUID) -> Membership | None:
    try:
        member = workspaces.lock_member(session, workspace_id, user_id)
    except NotFound:
        return None
    return None if member.user.disabled_at is not None else member


def _decide(user_code: str, login: DeviceLogin) -> DeviceLogin:
    """Store a decision. Of simultaneous decisions, the first one counts."""
    with _explain():
        device = get_redis().getdel(_name_code(user_code))
        is_stored = isinstance(device, bytes) and _write(device.decode(), login, exists=True)
    if not is_stored:
        raise WrongCode(_WRONG_CODE)
    return login


def _check_interval(device: str) -> None:
    key, pause_ms = f"{_name_device(device)}:pause", INTERVAL_SECONDS * 1000 - _TOLERANCE_MS
    if not get_redis().set(key, b"", px=pause_ms, nx=True):
        raise LimitExceeded(
            f"Request the token of a sign-in at most once in {INTERVAL_SECONDS} s.",
            INTERVAL_SECONDS,
        )


def _write(device: str, login: DeviceLogin, *, exists: bool) -> bool:
    """Store a sign-in, and return whether it was stored. An existing one keeps its expiry."""
    text = json.dumps(asdict(login))
    expiry = {"keepttl": True} if exists else {"ex": LIFETIME_SECONDS}
    return bool(get_redis().set(_name_device(device), text, xx=exists, nx=not exists, **expiry))


def _read(device: str) -> DeviceLogin | None:
    return _parse(get_redis().get(_name_device(device)))


def _parse(text: object) -> DeviceLogin | None:
    if not isinstance(text, bytes):
        return None
    fields = json.loads(text)
    scope, decision = TokenScope(fields["scope"]), Decision(fields["decision"])
    return DeviceLogin(**fields | {"scope": scope, "decision": decision})


def _name_device(device: str) -> str:
    return f"tacho:device-login:{device}"


def _name_code(user_code: str) -> str:
    letters = _SEPARATORS.sub("", user_code).upper()
    return f"tacho:device-login-code:{hash_key(letters)}"


@contextmanager
def _explain() -> Iterator[None]:
    try:
        yield
    except RedisError as error:
        raise Unavailable("Redis does not answer. Try again in a moment.") from error
