"""Identify the sender of a request, and explain a missing permission."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from psycopg.rows import TupleRow
from starlette.requests import Request

from backend.api.access.cookie import COOKIE
from backend.api.access.loopback import Call, find_distrust_reason
from backend.api.access.origin import is_own_page
from backend.core.config import Settings
from backend.core.errors import Forbidden, NotFound, Unauthorized
from backend.core.people.access.actor import Actor
from backend.core.people.access.keys import TOKEN_PREFIX, hash_key
from backend.core.people.access.lookup import (
    FoundSession,
    FoundToken,
    Person,
    WorkspaceOfCaller,
    look_up_installation,
    look_up_session,
    look_up_token,
    read_installation,
    read_session,
    read_token,
)
from backend.core.people.access.permissions import (
    OF_GUARDS,
    Permission,
    Rights,
    name_lowest_role,
    name_narrowest_scope,
)
from backend.core.people.access.viewer import Viewer
from backend.core.people.tokens.restrictions import Restrictions
from backend.platform.network import is_loopback, is_proxied, name_network

_UNKNOWN = "unknown"
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
# The workspace of a request, by slug. Without it: of the token or session, else the first one.
WORKSPACE_HEADER = "tacho-workspace"

MISSING = (
    "Sign in in the browser, or send the header 'Authorization: Bearer <token>' with an access "
    "token."
)
WRONG = (
    "The token is wrong. Send an access token, which begins with 'tacho_', or the value of "
    "TACHO_TOKEN that this installation was started with, as 'Authorization: Bearer <token>'."
)
ENDED = (
    "Your session has ended: it expired or was revoked, or TACHO_TOKEN was changed. Sign in again."
)
FOREIGN = (
    "A session only allows changes from pages of this Tacho, and this request came from elsewhere. "
    "Scripts send the header 'Authorization: Bearer <token>' instead."
)
CLOSED = (
    "Sign in. If nobody has an account yet, `tacho operator` prints a link that creates the first "
    "one. To use Tacho on one machine without accounts and without TACHO_TOKEN, start it on a "
    "loopback address with TACHO_TRUST_LOOPBACK=true."
)
PROXIED = (
    "This installation is behind a proxy (TACHO_PUBLIC_URL or TACHO_TRUSTED_PROXIES), so programs "
    f"on this machine have to sign in too. {MISSING} If nobody has an account yet, "
    "`tacho operator` prints a link that creates the first one."
)
NOBODY_ELSE = (
    f"This installation has accounts, so programs on this machine have to sign in too. {MISSING}"
)

# Why a permission that no role in a workspace includes is missing.
_WITHOUT_WORKSPACE: Mapping[Permission, str] = {
    Permission.ACCOUNT: "Only a person who is signed in with an account may do this, in the "
    "browser.",
    Permission.MONITOR: "Only operators of this installation, and programs that send "
    "TACHO_METRICS_TOKEN, may read these metrics.",
    Permission.OPERATE: "Only operators of this installation may do this, in the browser or with "
    "TACHO_TOKEN.",
}


class Proof(StrEnum):
    """How a caller is authenticated."""

    LOOPBACK = "loopback"
    # TACHO_TOKEN.
    TOKEN = "token"  # noqa: S105
    # TACHO_METRICS_TOKEN.
    METRICS_TOKEN = "metrics_token"  # noqa: S105
    ACCESS_TOKEN = "access_token"  # noqa: S105
    SESSION = "session"


class LookUp(Protocol):
    """Returns the rows of one statement."""

    async def __call__(
        self, statement: str, parameters: Mapping[str, object]
    ) -> Sequence[TupleRow]: ...


@dataclass(frozen=True)
class Caller:
    """The sender of a request.

    Attributes:
        proof: None for anonymous visitors.
        refusal: why an anonymous visitor is one, and what to do about it.
        workspaces: those that the caller belongs to.
        workspace: the workspace of this request; None for callers without a workspace.
        person: None for everyone without an account.
        session_id, token_id: of the session or access token.
        is_stale: whether the time of their last use must be stored again.
    """

    actor: Actor
    proof: Proof | None = None
    refusal: str = ""
    rights: Rights = field(default_factory=Rights)
    workspaces: Sequence[WorkspaceOfCaller] = ()
    workspace: WorkspaceOfCaller | None = None
    person: Person | None = None
    session_id: UUID | None = None
    token_id: UUID | None = None
    restrictions: Restrictions = field(default_factory=Restrictions)
    is_stale: bool = False

    @property
    def viewer(self) -> Viewer:
        """Return whose data the caller may read."""
        if self.workspace is None:
            return Viewer(None, frozenset(own.id for own in self.workspaces))
        return Viewer(self.workspace.id, frozenset(own.id for own in self.workspaces))

    @property
    def limit_key(self) -> str | None:
        """Return whose requests count together; None for callers without limits.

        Personal tokens and all browsers of a person count as the person. The local owner and
        holders of TACHO_TOKEN operate the installation, so they have no limits.
        """
        if self.actor.user_id is not None:
            return f"user:{self.actor.user_id}"
        if self.token_id is not None:
            return f"token:{self.token_id}"
        if self.proof is not None:
            return None
        return name_limit_key(self.actor.address or _UNKNOWN)

    def show(self, workspace: WorkspaceOfCaller) -> "Caller":
        """Return the same signed-in caller, with another of the own workspaces."""
        rights = replace(self.rights, role=workspace.role)
        return replace(self, workspace=workspace, rights=rights)

    def require(self, permission: Permission) -> None:
        """Check a permission.

        Raises:
            Unauthorized: the caller is anonymous.
            Forbidden: the caller is known, but lacks the permission.
        """
        if self.rights.allow(permission):
            return
        if self.proof is None:
            raise Unauthorized(self.refusal)
        raise Forbidden(self._explain(permission))

    def require_workspace(self) -> WorkspaceOfCaller:
        """Return the workspace of the request; raises Unauthorized or Forbidden without one."""
        if self.workspace is None:
            self.require(Permission.VIEW)
        assert self.workspace is not None
        return self.workspace

    def _explain(self, permission: Permission) -> str:
        """Return the right that is missing, and the person who can grant it."""
        if permission in _WITHOUT_WORKSPACE:
            return _WITHOUT_WORKSPACE[permission]
        if self.workspace is None:
            return (
                "You are not a member of any workspace. Ask an owner of a workspace to invite you."
            )
        slug = self.workspace.slug
        scope = name_narrowest_scope(permission)
        if self.rights.scope is not None and scope is None:
            return "No access token may do this. An owner of the workspace does it in the browser."
        role = name_lowest_role(permission)
        if self.rights.is_for_guards and permission not in OF_GUARDS:
            return "This access token is for guards of own services only."
        if self.rights.role is not None and Rights(role=self.rights.role).allow(permission):
            return (
                f"This needs a token with the scope '{scope}', and yours has the scope "
                f"'{self.rights.scope}'."
            )
        return (
            f"This needs the role {role} in workspace {slug!r}, and yours is {self.rights.role}. "
            "An owner of the workspace can change it."
        )


async def identify(
    request: Request, settings: Settings, bearer: str | None, look_up: LookUp
) -> Caller:
    """Return who sent a request.

    Args:
        bearer: the token of its Authorization header.
        look_up: reads the database.

    Raises:
        NotFound: the request names a workspace that the caller does not belong to.
    """
    if bearer is not None:
        return await _identify_by_token(request, settings, bearer, look_up)
    key = request.cookies.get(COOKIE)
    if key is not None:
        found = read_session(await look_up(*look_up_session(key)))
        if found is not None and _is_current(found, settings):
            if request.method not in _SAFE_METHODS and not is_own_page(request):
                return _anonymous(request, FOREIGN)
            return make_session_caller(request, found)
        if request.method not in _SAFE_METHODS:
            return _anonymous(request, ENDED)
    caller = await _identify_by_loopback(request, settings, look_up)
    return _anonymous(request, ENDED) if key is not None and caller.proof is None else caller


def is_same(given: str, token: str) -> bool:
    """Return whether this is the token, in a time that does not depend on where they differ."""
    return secrets.compare_digest(given.encode(), token.encode())


def find_address(request: Request) -> str:
    """Return the network address of a client, or 'unknown'."""
    return request.client.host if request.client else _UNKNOWN


def name_limit_key(address: str) -> str:
    """Return whose requests count together with those of an anonymous visitor at an address."""
    return f"address:{name_network(address)}"


async def _identify_by_token(
    request: Request, settings: Settings, bearer: str, look_up: LookUp
) -> Caller:
    if settings.token and is_same(bearer, settings.token.get_secret_value()):
        state = read_installation(await look_up(*look_up_installation()))
        return _of_installation(request, Proof.TOKEN, "TACHO_TOKEN", state.workspaces)
    if settings.metrics_token and is_same(bearer, settings.metrics_token.get_secret_value()):
        # Without the database, so that an outage of it can be monitored.
        actor = Actor("TACHO_METRICS_TOKEN", address=find_address(request))
        return Caller(actor, proof=Proof.METRICS_TOKEN, rights=Rights(is_monitor=True))
    if not bearer.startswith(TOKEN_PREFIX):
        return _anonymous(request, WRONG)
    found = read_token(await look_up(*look_up_token(bearer)))
    if found is None:
        return _anonymous(request, WRONG)
    if found.fault is not None or found.workspace is None:
        detail = f"This access token {found.fault}. Create another one in the settings of Tacho."
        return _anonymous(request, detail)
    return _of_token(request, found, found.workspace)


async def _identify_by_loopback(request: Request, settings: Settings, look_up: LookUp) -> Caller:
    if settings.token:
        return _anonymous(request, MISSING)
    if not (settings.trust_loopback and is_loopback(settings.host)):
        return _anonymous(request, CLOSED)
    if is_proxied(settings.public_url, settings.trusted_proxies):
        return _anonymous(request, PROXIED)
    server = request.scope.get("server")
    call = Call(
        method=request.method,
        client_host=request.client.host if request.client else None,
        server_port=server[1] if server else None,
        http_version=request.scope["http_version"],
        headers=request.headers.items(),
    )
    reason = find_distrust_reason(call)
    if reason is not None:
        return _anonymous(
            request,
            f"This request did not come directly from this machine: {reason}. {MISSING}",
        )
    state = read_installation(await look_up(*look_up_installation()))
    if state.has_users:
        return _anonymous(request, NOBODY_ELSE)
    return _of_installation(request, Proof.LOOPBACK, "local owner", state.workspaces)


def _anonymous(request: Request, refusal: str) -> Caller:
    return Caller(Actor("anonymous visitor", address=find_address(request)), refusal=refusal)


def _is_current(found: FoundSession, settings: Settings) -> bool:
    """Return whether the session is of a person, or of the present TACHO_TOKEN."""
    if found.token_hash is None:
        return found.person is not None
    token = settings.token.get_secret_value()
    return bool(token) and found.token_hash == hash_key(token)


def make_session_caller(request: Request, found: FoundSession) -> Caller:
    """Return the person or holder of TACHO_TOKEN who is signed in."""
    workspace = _choose(request, found.workspaces, found.workspace_id)
    person = found.person
    label = "TACHO_TOKEN" if person is None else person.email
    return Caller(
        _act(request, label, workspace, user_id=None if person is None else person.id),
        proof=Proof.SESSION,
        rights=Rights(
            role=None if workspace is None else workspace.role,
            has_account=person is not None,
            is_operator=person is None or person.is_operator,
        ),
        workspaces=found.workspaces,
        workspace=workspace,
        person=person,
        session_id=found.id,
        is_stale=found.is_stale,
    )


def _of_token(request: Request, found: FoundToken, workspace: WorkspaceOfCaller) -> Caller:
    _choose(request, [workspace], None)
    label = found.name if found.person is None else f"{found.person.email} ({found.name})"
    user_id = None if found.person is None else found.person.id
    return Caller(
        _act(request, label, workspace, user_id=user_id, token_id=found.id),
        proof=Proof.ACCESS_TOKEN,
        rights=Rights(
            role=workspace.role,
            scope=found.scope,
            is_for_guards=found.services is not None,
            has_account=user_id is not None,
        ),
        workspaces=[workspace],
        workspace=workspace,
        person=found.person,
        token_id=found.id,
        restrictions=Restrictions(found.hosts, found.frameworks, found.services),
        is_stale=found.is_stale,
    )


def _of_installation(
    request: Request, proof: Proof, label: str, workspaces: Sequence[WorkspaceOfCaller]
) -> Caller:
    """Return a caller who operates the installation and owns every workspace."""
    workspace = _choose(request, workspaces, None)
    return Caller(
        _act(request, label, workspace),
        proof=proof,
        rights=Rights(role=None if workspace is None else workspace.role, is_operator=True),
        workspaces=workspaces,
        workspace=workspace,
    )


def _act(
    request: Request,
    label: str,
    workspace: WorkspaceOfCaller | None,
    *,
    user_id: UUID | None = None,
    token_id: UUID | None = None,
) -> Actor:
    workspace_id = None if workspace is None else workspace.id
    return Actor(label, user_id, token_id, find_address(request), workspace_id)


def _choose(
    request: Request, workspaces: Sequence[WorkspaceOfCaller], chosen: UUID | None
) -> WorkspaceOfCaller | None:
    """Return the workspace that the request names, the chosen one, or the first."""
    named = request.headers.get(WORKSPACE_HEADER)
    if named is not None:
        for own in workspaces:
            if own.slug == named:
                return own
        raise NotFound(f"You are not a member of a workspace {named!r}.")
    return next((own for own in workspaces if own.id == chosen), next(iter(workspaces), None))
