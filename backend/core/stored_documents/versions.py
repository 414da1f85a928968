"""SQL for the versions of topics. Never commits."""

from collections.abc import Collection
from functools import lru_cache

from sqlalchemy import ScalarSelect, Select, String, cast, func, select
from sqlalchemy.orm import Session

from backend.core.models import DataVersion
from backend.core.stored_documents.subjects import Topic


def read_version(session: Session, topics: Collection[Topic]) -> str:
    """Return the version of some topics. It differs after each change of their data."""
    return session.scalars(_select(frozenset(topics))).one()


def select_version(topics: Collection[Topic]) -> ScalarSelect[str]:
    """Return the column of what `read_version` returns."""
    return _select(frozenset(topics)).scalar_subquery()


# To build the statement takes longer than to execute it.
@lru_cache
def _select(topics: frozenset[Topic]) -> Select[str]:
    ids = func.string_agg(cast(DataVersion.id, String), ",").aggregate_order_by(DataVersion.id)
    return select(func.coalesce(ids, "")).where(DataVersion.topic.in_(topics))
