"""An account and an access token for benchmarks, and the first workspace."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.models import Membership, Workspace
from backend.core.people.access.keys import make_key
from backend.core.people.accounts.service import create_user
from backend.core.people.tokens.restrictions import Restrictions
from backend.core.people.tokens.service import create_token
from backend.core.statuses import Role, TokenScope

_EMAIL = "benchmark@example.org"
_NAME = "Benchmark"


def find_first_workspace(session: Session) -> UUID:
    """Return the id of the workspace that the migrations create."""
    query = select(Workspace.id).order_by(Workspace.created_at).limit(1)
    return session.scalars(query).one()


def add_token() -> None:
    """Make a user the owner of the first workspace, and create an access token of the workspace.

    Afterwards this machine has to sign in too.
    """
    with unit_of_work() as session:
        workspace_id = find_first_workspace(session)
        user = create_user(session, email=_EMAIL, name=_NAME, password=make_key())
        session.flush()
        session.add(Membership(workspace_id=workspace_id, user_id=user.id, role=Role.OWNER))
        create_token(
            session,
            workspace_id,
            name=_NAME,
            scope=TokenScope.READ,
            user_id=None,
            role=Role.OWNER,
            created_by_id=user.id,
            days=1,
            restrictions=Restrictions(),
        )
