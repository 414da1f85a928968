"""Connections to PostgreSQL."""

import pytest
from sqlalchemy import text

from backend.core.db import make_engine


@pytest.mark.parametrize(("prepares", "mode"), [(True, "force_custom_plan"), (False, "auto")])
def test_prepared_statements_are_planned_for_their_parameters(
    database_url: str, *, prepares: bool, mode: str
) -> None:
    """A generic plan cannot use the partial index of unfinished trials.

    Without prepared statements, the setting would only let PostgreSQL plan each check of a foreign
    key.
    """
    engine = make_engine(database_url, prepares=prepares)
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW plan_cache_mode")) == mode
    engine.dispose()
