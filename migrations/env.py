"""Alembic's environment: runs migrations on the URL it is given, with a lock timeout."""

from alembic import context
from sqlalchemy import text

import backend.core.models
from backend.core.config import get_settings
from backend.core.db import Base, make_engine
from backend.core.models.measurement import is_partition
from backend.core.operations.bench_hosts.repository import drop_checks

assert backend.core.models  # registers every table on Base.metadata

database_url = context.config.attributes.get("database_url") or get_settings().database_url

engine = make_engine(database_url)
with engine.connect() as connection:
    # A migration that waits for a lock would block everyone behind it: fail instead.
    connection.execute(text("SET lock_timeout = '10s'"))
    connection.commit()
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_server_default=False,
        include_name=lambda name, kind, _: kind != "table" or not is_partition(name or ""),
    )
    with context.begin_transaction():
        # `alembic check` has no destination.
        migration = context.get_context()
        if "destination_rev" in migration.opts and (
            migration.get_current_heads() != (context.get_revision_argument(),)
        ):
            drop_checks(connection)
        context.run_migrations()
engine.dispose()
