"""Users as the API shows them to operators."""

from collections.abc import Sequence
from datetime import datetime

from backend.api.people.users.schemas import RoleOut, UserOut
from backend.core.models import User
from backend.core.statuses import Role


def user_out(
    user: User, roles: Sequence[tuple[str, Role]], last_seen_at: datetime | None
) -> UserOut:
    """Return a user.

    Args:
        roles: of the user, each with the slug of its workspace.
    """
    return UserOut(
        id=user.id,
        email=user.email,
        name=user.name,
        is_operator=user.is_operator,
        created_at=user.created_at,
        disabled_at=user.disabled_at,
        last_seen_at=last_seen_at,
        roles=[RoleOut(workspace=workspace, role=role) for workspace, role in roles],
    )
