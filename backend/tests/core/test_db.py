"""Connections to PostgreSQL."""

from sqlalchemy import text
from sqlalchemy.orm import Session


def test_statements_are_planned_for_their_parameters(session: Session) -> None:
    """A generic plan cannot use the partial index of unfinished trials."""
    assert session.scalar(text("SHOW plan_cache_mode")) == "force_custom_plan"
