"""Users as the API shows them to operators."""

from collections.abc import Sequence
from datetime import datetime

from backend.api.users.schemas import RoleOut, UserOut
from backend.core.models import Membership, User


def user_out(
    user: User, memberships: Sequence[Membership], last_seen_at: datetime | None
) -> UserOut:
    """Return a user.

    Args:
        memberships: of the user, with their workspaces.
    """
    return UserOut(
        id=user.id,
        email=user.email,
        name=user.name,
        is_operator=user.is_operator,
        created_at=user.created_at,
        disabled_at=user.disabled_at,
        last_seen_at=last_seen_at,
        roles=[
            RoleOut(workspace=membership.workspace.slug, role=membership.role)
            for membership in memberships
        ],
    )
