"""Permissions, and the rights that include them; pure. Each route of the API names one."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from backend.core.statuses import Role, TokenScope


class Permission(StrEnum):
    """The requirement of a route.

    OPEN: nothing; the route returns the data that the viewer may see. VIEW, GUARD, RUN, MANAGE and
    OWN: a role in the workspace of the request. GUARD differs from RUN only for access tokens that
    are restricted to own services. ACCOUNT: a signed-in person, who manages the own account.
    MONITOR: an operator, or a program that may only read metrics. OPERATE: an operator of the
    installation.
    """

    OPEN = "open"
    VIEW = "view"
    GUARD = "guard"
    RUN = "run"
    MANAGE = "manage"
    OWN = "own"
    ACCOUNT = "account"
    MONITOR = "monitor"
    OPERATE = "operate"


# Permissions in a workspace: the lowest role that has it, and the narrowest scope of an access
# token that has it. No token has the permission OWN.
_LOWEST_ROLE: Mapping[Permission, Role] = {
    Permission.VIEW: Role.VIEWER,
    Permission.GUARD: Role.MEMBER,
    Permission.RUN: Role.MEMBER,
    Permission.MANAGE: Role.MAINTAINER,
    Permission.OWN: Role.OWNER,
}
_NARROWEST_SCOPE: Mapping[Permission, TokenScope] = {
    Permission.VIEW: TokenScope.READ,
    Permission.GUARD: TokenScope.RUN,
    Permission.RUN: TokenScope.RUN,
    Permission.MANAGE: TokenScope.MANAGE,
}
# The permissions of an access token that is restricted to own services.
OF_GUARDS = frozenset({Permission.VIEW, Permission.GUARD})
_ROLES = tuple(Role)
_SCOPES = tuple(TokenScope)


@dataclass(frozen=True)
class Rights:
    """The rights of a caller in the workspace of a request, and in the installation.

    Attributes:
        role: the caller's role in the workspace; None without one.
        scope: of the access token that the caller sent; None without one.
        is_for_guards: whether that token is restricted to own services.
        has_account: whether a person with an account sent the request.
        is_operator: whether the caller is an operator of the installation.
        is_monitor: whether the caller is a program that may only read metrics.
    """

    role: Role | None = None
    scope: TokenScope | None = None
    is_for_guards: bool = False
    has_account: bool = False
    is_operator: bool = False
    is_monitor: bool = False

    def allow(self, permission: Permission) -> bool:
        """Return whether these rights include a permission."""
        if permission is Permission.OPEN:
            return True
        if permission is Permission.ACCOUNT:
            return self.has_account and self.scope is None
        if permission is Permission.MONITOR:
            return self.is_monitor or self.allow(Permission.OPERATE)
        if permission is Permission.OPERATE:
            return self.is_operator and self.scope is None
        return self._has_role(permission) and self._has_scope(permission)

    def list_permissions(self) -> list[Permission]:
        """Return all permissions that these rights include."""
        return [permission for permission in Permission if self.allow(permission)]

    def _has_role(self, permission: Permission) -> bool:
        lowest = _LOWEST_ROLE[permission]
        return self.role is not None and _ROLES.index(self.role) >= _ROLES.index(lowest)

    def _has_scope(self, permission: Permission) -> bool:
        if self.scope is None:
            return True
        if self.is_for_guards and permission not in OF_GUARDS:
            return False
        narrowest = _NARROWEST_SCOPE.get(permission)
        return narrowest is not None and _SCOPES.index(self.scope) >= _SCOPES.index(narrowest)


def name_lowest_role(permission: Permission) -> Role | None:
    """Return the lowest role that has a permission; None if it does not depend on roles."""
    return _LOWEST_ROLE.get(permission)


def name_narrowest_scope(permission: Permission) -> TokenScope | None:
    """Return the narrowest scope that has a permission; None if no access token has it."""
    return _NARROWEST_SCOPE.get(permission)
