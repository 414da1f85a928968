"""Locks of tables, to make requests wait."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work


@contextmanager
def locked_runs() -> Iterator[Session]:
    """Inside the context, every statement that reads runs waits."""
    with unit_of_work() as session:
        session.execute(text("LOCK TABLE run"))
        yield session
