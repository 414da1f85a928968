"""SQL for access tokens. Never commits."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, any_, false, func, literal, or_, select
from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import AccessToken

# Revoked tokens stay in lists for this time.
_SHOWN = timedelta(days=30)


def list_tokens(
    session: Session, workspace_id: UUID, user_id: UUID | None, *, with_workspace: bool
) -> Sequence[AccessToken]:
    """Return the tokens of a user for a workspace, newest first.

    Args:
        user_id: None for nobody's.
        with_workspace: also return the tokens of the workspace itself.
    """
    query = select(AccessToken).where(
        AccessToken.workspace_id == workspace_id,
        _belongs_to(user_id, with_workspace=with_workspace),
        or_(AccessToken.revoked_at.is_(None), AccessToken.revoked_at > func.now() - _SHOWN),
    )
    query = query.order_by(AccessToken.created_at.desc(), AccessToken.id.desc())
    return session.scalars(query).all()


def list_tokens_for(session: Session, host: str) -> Sequence[AccessToken]:
    """Return the tokens that are restricted to hosts, this one among them."""
    query = select(AccessToken).where(literal(host) == any_(AccessToken.hosts))
    return session.scalars(query.order_by(AccessToken.id)).all()


def count_tokens(session: Session, workspace_id: UUID, user_id: UUID | None) -> int:
    """Return the number of tokens of a user for a workspace, or of the workspace, not revoked."""
    query = (
        select(func.count())
        .select_from(AccessToken)
        .where(
            AccessToken.workspace_id == workspace_id,
            AccessToken.user_id.is_not_distinct_from(user_id),
            AccessToken.revoked_at.is_(None),
        )
    )
    return session.scalar(query) or 0


def lock_token(
    session: Session,
    workspace_id: UUID,
    token_id: UUID,
    user_id: UUID | None,
    *,
    with_workspace: bool,
) -> AccessToken:
    """Return one of the tokens of `list_tokens`, locked until commit; raise NotFound."""
    query = select(AccessToken).where(
        AccessToken.id == token_id,
        AccessToken.workspace_id == workspace_id,
        _belongs_to(user_id, with_workspace=with_workspace),
    )
    found = session.scalars(query.with_for_update()).one_or_none()
    if found is None:
        raise NotFound(f"There is no access token {str(token_id)!r}.")
    return found


def lock_current_token(session: Session, token_id: UUID) -> AccessToken:
    """Return the token that sent a request, locked until commit."""
    return session.get_one(AccessToken, token_id, with_for_update=True)


def _belongs_to(user_id: UUID | None, *, with_workspace: bool) -> ColumnElement[bool]:
    own = false() if user_id is None else AccessToken.user_id == user_id
    return or_(own, AccessToken.user_id.is_(None)) if with_workspace else own
