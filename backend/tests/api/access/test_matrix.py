"""Every operation of the API × every kind of caller: who is let in, and how others are refused."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.people.access.permissions import Permission
from backend.core.statuses import Role, TokenScope
from backend.main import create_app
from backend.tests.accounts import add_member, add_token, add_user, add_workspace, sign_in
from backend.tests.api.conftest import HERE, VISITOR
from backend.tests.installation import sweep_up
from backend.tests.openapi import openapi_document

# The permission of each operation. A new operation, or another permission, needs a change here too.
REQUIRED: Mapping[Permission, str] = {
    Permission.OPEN: """
        GET /api/v1/cells/{cell_id}/latency
        GET /api/v1/cells
        GET /api/v1/change-counts
        GET /api/v1/changes/{change_id}
        GET /api/v1/changes
        GET /api/v1/comparisons/charts
        GET /api/v1/comparisons/{comparison_hash}/export.{suffix}
        GET /api/v1/comparisons/{comparison_hash}
        GET /api/v1/choice/export.{suffix}
        GET /api/v1/choice
        GET /api/v1/comparisons
        POST /api/v1/device-logins
        POST /api/v1/device-logins/token
        GET /api/v1/examples
        GET /api/v1/frameworks/{slug}/results
        GET /api/v1/frameworks/{slug}
        GET /api/v1/frameworks
        GET /api/v1/health
        GET /api/v1/history/changes
        GET /api/v1/history/self-test
        GET /api/v1/history
        GET /api/v1/home
        GET /api/v1/host-events
        POST /api/v1/joined-hosts
        GET /api/v1/hosts/{name}
        GET /api/v1/hosts
        GET /api/v1/incident-counts
        GET /api/v1/incidents/{incident_id}
        GET /api/v1/incidents
        GET /api/v1/leaderboard
        POST /api/v1/links/read
        POST /api/v1/links/reset
        POST /api/v1/links/use
        GET /api/v1/metrics
        GET /api/v1/open-incidents
        GET /api/v1/presets/{slug}
        GET /api/v1/queue
        GET /api/v1/run-groups/{group}
        GET /api/v1/presets
        GET /api/v1/runs/{run_id}/answer
        GET /api/v1/runs/{run_id}/charts
        GET /api/v1/runs/{run_id}/events
        GET /api/v1/runs/{run_id}/export.{suffix}
        GET /api/v1/runs/{run_id}/ranking
        GET /api/v1/runs/{run_id}
        GET /api/v1/runs
        GET /api/v1/scenarios/{slug}
        GET /api/v1/scenarios
        GET /api/v1/schedule-times
        GET /api/v1/schedules/{schedule_id}
        GET /api/v1/schedules
        DELETE /api/v1/session
        GET /api/v1/session
        POST /api/v1/session
        POST /api/v1/session/oidc
        GET /api/v1/session/oidc/callback
        GET /api/v1/studies/{slug}
        GET /api/v1/studies
        GET /api/v1/trials/{trial_id}/latency
        GET /api/v1/trials/{trial_id}/logs
        GET /api/v1/trials/{trial_id}/series
        GET /api/v1/trials/{trial_id}
        GET /api/v1/verdicts
        GET /badge/{framework}/{scenario}/{metric}.svg
    """,
    Permission.VIEW: """
        GET /api/v1/guards/history
        GET /api/v1/guards/{slug}
        GET /api/v1/guards/requests/{guard_id}
        GET /api/v1/guards/requests
        GET /api/v1/guards/services
        GET /api/v1/guards
        GET /api/v1/limits
        DELETE /api/v1/membership
        GET /api/v1/retention
        GET /api/v1/members
        PATCH /api/v1/session
        DELETE /api/v1/tokens/current
        GET /api/v1/slos
        GET /api/v1/tokens
    """,
    Permission.GUARD: """
        POST /api/v1/guards/requests/{guard_id}/cancel
        POST /api/v1/guards/requests
        GET /api/v1/guards/sources/{digest}
        PUT /api/v1/guards/sources/{digest}
        POST /api/v1/guards
    """,
    Permission.RUN: """
        PATCH /api/v1/changes/{change_id}
        POST /api/v1/comparisons
        PATCH /api/v1/incidents/{incident_id}
        POST /api/v1/run-groups/{group}/cancel
        POST /api/v1/runs/{run_id}/cancel
        POST /api/v1/runs/{run_id}/rerun
        PATCH /api/v1/runs/{run_id}
        POST /api/v1/runs
        POST /api/v1/schedules/{schedule_id}/run
        POST /api/v1/studies/{slug}/reproduce
    """,
    Permission.MANAGE: """
        DELETE /api/v1/guards/{slug}
        POST /api/v1/runs/{run_id}/archive
        GET /api/v1/runs/{run_id}/dependents
        DELETE /api/v1/runs/{run_id}
        DELETE /api/v1/schedules/{schedule_id}
        PATCH /api/v1/schedules/{schedule_id}
        POST /api/v1/schedules
        DELETE /api/v1/slos/{slo_id}
        PATCH /api/v1/slos/{slo_id}
        POST /api/v1/slos
        POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver
        GET /api/v1/webhooks/{webhook_id}/deliveries
        POST /api/v1/webhooks/{webhook_id}/test
        DELETE /api/v1/webhooks/{webhook_id}
        GET /api/v1/webhooks/{webhook_id}
        PATCH /api/v1/webhooks/{webhook_id}
        GET /api/v1/webhooks
        POST /api/v1/webhooks
    """,
    Permission.OWN: """
        GET /api/v1/audit.{suffix}
        GET /api/v1/audit
        DELETE /api/v1/invitations/{invitation_id}
        GET /api/v1/invitations
        POST /api/v1/invitations
        DELETE /api/v1/members/{user_id}
        PATCH /api/v1/members/{user_id}
        PUT /api/v1/retention
    """,
    Permission.ACCOUNT: """
        PUT /api/v1/account/password
        DELETE /api/v1/account/sessions/{session_id}
        GET /api/v1/account/identities
        GET /api/v1/account/sessions
        PATCH /api/v1/account
        POST /api/v1/device-logins/decide
        POST /api/v1/device-logins/read
        DELETE /api/v1/tokens/{token_id}
        POST /api/v1/tokens
    """,
    Permission.MONITOR: """
        GET /metrics
    """,
    Permission.OPERATE: """
        DELETE /api/v1/examples
        GET /api/v1/installation-audit
        GET /api/v1/installation-audit.{suffix}
        PUT /api/v1/examples
        POST /api/v1/users/{user_id}/password-reset
        PATCH /api/v1/users/{user_id}
        GET /api/v1/users
        DELETE /api/v1/host-keys/{name}
        GET /api/v1/host-keys
        POST /api/v1/host-keys
        PATCH /api/v1/hosts/{name}
        POST /api/v1/hosts/{name}/revoke
        GET /api/v1/hosts/{name}/reservation
        PUT /api/v1/hosts/{name}/reservation
        GET /api/v1/installation
        GET /api/v1/retention/installation
        PUT /api/v1/retention/installation
        DELETE /api/v1/workspaces/{slug}
        PATCH /api/v1/workspaces/{slug}
        GET /api/v1/workspaces
        POST /api/v1/workspaces
    """,
}
# The permissions of each kind of caller in the workspace "main". All others are refused: with 401
# if Tacho does not know who asks, otherwise with 403.
_VIEW, _MANAGE = {Permission.VIEW}, Permission.MANAGE
_GUARD = _VIEW | {Permission.GUARD}
_RUN = _GUARD | {Permission.RUN}
ALLOWED: Mapping[str, set[Permission]] = {
    "anonymous": set(),
    "expired token": set(),
    "revoked token": set(),
    "expired session": set(),
    "viewer": {*_VIEW, Permission.ACCOUNT},
    "member": {*_RUN, Permission.ACCOUNT},
    "maintainer": {*_RUN, _MANAGE, Permission.ACCOUNT},
    "owner": {*_RUN, _MANAGE, Permission.OWN, Permission.ACCOUNT},
    "owner of another workspace": {*_RUN, _MANAGE, Permission.OWN, Permission.ACCOUNT},
    "operator": {Permission.ACCOUNT, Permission.MONITOR, Permission.OPERATE},
    "read token": _VIEW,
    "token for guards": _GUARD,
    "run token": _RUN,
    "manage token": {*_RUN, _MANAGE},
    "manage token of a viewer": _VIEW,
    "TACHO_TOKEN": {
        *(*_RUN, _MANAGE, Permission.OWN),
        *(Permission.MONITOR, Permission.OPERATE),
    },
    "TACHO_METRICS_TOKEN": {Permission.MONITOR},
}
UNKNOWN = {"anonymous", "expired token", "revoked token", "expired session"}
# Together they distinguish all permissions. They send every operation; the other kinds of callers
# send one of each permission and method.
THOROUGH = {
    *("anonymous", "viewer", "member", "maintainer", "owner", "operator", "token for guards"),
    *("TACHO_TOKEN", "TACHO_METRICS_TOKEN"),
}
# These act in a workspace, and the operator of this test is in none.
IN_WORKSPACE = {
    "POST /api/v1/tokens",
    "DELETE /api/v1/tokens/{token_id}",
    "PUT /api/v1/examples",
}
# After these, the caller would no longer have the rights that the next requests need.
ENDING = {
    "DELETE /api/v1/session",
    "DELETE /api/v1/membership",
    "DELETE /api/v1/tokens/current",
}
_SECRET = "s3cret-of-the-test"
_METRICS_SECRET = "s3cret-of-prometheus"
_NAMES = {
    "slug": "nothing",
    "group": "nothing",
    "run_id": "nothing",
    "name": "nothing",
    "suffix": "json",
}
_NOBODY = "01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"


def read_operations() -> list[tuple[str, str, Permission]]:
    """Return method, path and permission of each operation of the OpenAPI document."""
    return [
        (method.upper(), path, Permission(operation["x-permission"]))
        for path, operations in openapi_document()["paths"].items()
        for method, operation in operations.items()
    ]


OPERATIONS = read_operations()
SAMPLE = list(
    {
        (method, permission): (method, path, permission)
        for method, path, permission in OPERATIONS
        if f"{method} {path}" not in ENDING | IN_WORKSPACE
    }.values()
)


@pytest.fixture(scope="module")
def callers(
    installation: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Mapping[str, str]]]:
    """The headers of each kind of caller."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACHO_TOKEN", _SECRET)
        patch.setenv("TACHO_METRICS_TOKEN", _METRICS_SECRET)
        # Examples take seconds to load.
        empty: Path = tmp_path_factory.mktemp("services")
        patch.setenv("TACHO_SERVICES_DIR", str(empty))
        get_settings.cache_clear()
        with unit_of_work() as session:
            add_workspace(session, "other")
            people = {str(role): add_member(session, f"{role}@example.org", role) for role in Role}
            outsider = add_member(session, "eve@example.org", Role.OWNER, workspace="other")
            operator = add_user(session, "op@example.org", is_operator=True)
            found: dict[str, dict[str, str]] = {
                "anonymous": {},
                "TACHO_TOKEN": {"Authorization": f"Bearer {_SECRET}"},
                "TACHO_METRICS_TOKEN": {"Authorization": f"Bearer {_METRICS_SECRET}"},
                "expired token": add_token(session, expires_in=timedelta(seconds=-1)),
                "revoked token": add_token(session, is_revoked=True),
                "expired session": {"Cookie": "tacho_session=gone", "Origin": HERE},
                "token for guards": add_token(session, services=["shop"]),
                "manage token of a viewer": add_token(session, people["viewer"], TokenScope.MANAGE),
                "owner of another workspace": sign_in(session, outsider),
                "operator": sign_in(session, operator),
            }
            found |= {name: sign_in(session, person) for name, person in people.items()}
            found |= {f"{scope} token": add_token(session, None, scope) for scope in TokenScope}
        yield found
        sweep_up()
    get_settings.cache_clear()


@pytest.fixture(scope="module")
def visitor(callers: object) -> Iterator[TestClient]:
    with TestClient(create_app(), HERE, client=VISITOR) as client:
        yield client


def test_the_table_has_every_operation_with_its_permission() -> None:
    declared = {f"{method} {path}": str(permission) for method, path, permission in OPERATIONS}
    listed = {
        operation.strip(): str(permission)
        for permission, operations in REQUIRED.items()
        for operation in operations.strip().splitlines()
    }

    assert declared == listed


def test_every_kind_of_caller_is_tested(callers: Mapping[str, object]) -> None:
    assert set(callers) == set(ALLOWED)


def test_thorough_callers_distinguish_all_permissions() -> None:
    holders = {
        permission: frozenset(name for name in THOROUGH if permission in ALLOWED[name])
        for permission in Permission
        if permission is not Permission.OPEN
    }
    assert len(set(holders.values())) == len(holders)
    assert all(holders.values())


@pytest.mark.parametrize("caller", list(ALLOWED))
def test_each_operation_lets_in_who_has_the_permission(
    caller: str, callers: Mapping[str, Mapping[str, str]], visitor: TestClient
) -> None:
    wrong = []
    for method, path, permission in OPERATIONS if caller in THOROUGH else SAMPLE:
        operation = f"{method} {path}"
        if operation in ENDING:
            continue
        is_allowed = permission is Permission.OPEN or permission in ALLOWED[caller]
        if caller == "operator" and operation in IN_WORKSPACE:
            is_allowed = False
        refusal = 401 if caller in UNKNOWN else 403
        visitor.cookies.clear()
        answer = visitor.request(method, _fill(path), headers=dict(callers[caller]))
        is_refused = answer.status_code == refusal
        # Wrong passwords and keys are refused too, but not for the lack of a permission.
        is_of_route = path in {"/api/v1/session", "/api/v1/links/read", "/api/v1/links/use"}
        # No bench host is online.
        is_broken = answer.status_code >= 500 and path != "/api/v1/health"
        if is_broken or (is_refused is is_allowed and not is_of_route):
            wrong.append(f"{operation}: {answer.status_code}, allowed: {is_allowed}")

    assert wrong == []


def _fill(path: str) -> str:
    """Return a path whose parameters name nothing."""
    parts = [part.strip("{}") for part in path.split("/")]
    for part in parts:
        name = part.removesuffix(".{suffix").removesuffix(".svg").strip("{}")
        value = _NAMES.get(name, _NOBODY)
        path = path.replace("{" + name + "}", value)
    return path.replace("{suffix}", "json")
