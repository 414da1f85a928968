"""The caller as the API shows it."""

from backend.api.access.caller import Caller, Proof
from backend.api.people.sessions.schemas import AccountOut, OwnWorkspaceOut, SessionOut, SignInWays
from backend.core.config import Settings


def session_out(caller: Caller, settings: Settings, *, has_users: bool) -> SessionOut:
    workspace = caller.workspace
    return SessionOut(
        permissions=caller.rights.list_permissions(),
        proof=caller.proof,
        detail=caller.refusal or None,
        is_single_user=caller.proof is Proof.LOOPBACK,
        sign_in=SignInWays(
            password=has_users,
            token=bool(settings.token),
            reset=bool(settings.smtp_url),
            oidc=settings.oidc_name if settings.oidc_issuer else None,
        ),
        user=None if caller.person is None else AccountOut.of(caller.person),
        workspace=None if workspace is None else OwnWorkspaceOut.of(workspace),
        workspaces=[OwnWorkspaceOut.of(own) for own in caller.workspaces],
    )
