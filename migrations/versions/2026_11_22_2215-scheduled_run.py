"""rename the table `occurrence` to `scheduled_run`"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "a4d0c7e2b915"
down_revision: str | None = "7e2a94c1d5b3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_RENAMES = (
    ("pk_occurrence", "pk_scheduled_run"),
    ("uq_occurrence_schedule_id", "uq_scheduled_run_schedule_id"),
    ("fk_occurrence_run_id_run", "fk_scheduled_run_run_id_run"),
    ("fk_occurrence_schedule_id_schedule", "fk_scheduled_run_schedule_id_schedule"),
)


def upgrade() -> None:
    op.rename_table("occurrence", "scheduled_run")
    for old, new in _RENAMES:
        op.execute(f"ALTER TABLE scheduled_run RENAME CONSTRAINT {old} TO {new}")
    op.execute("ALTER INDEX ix_occurrence_run_id RENAME TO ix_scheduled_run_run_id")
    op.execute("ALTER INDEX ix_occurrence_watched RENAME TO ix_scheduled_run_watched")
    _rename_key("occurrence", "scheduled_run")


def downgrade() -> None:
    _rename_key("scheduled_run", "occurrence")
    op.execute("ALTER INDEX ix_scheduled_run_watched RENAME TO ix_occurrence_watched")
    op.execute("ALTER INDEX ix_scheduled_run_run_id RENAME TO ix_occurrence_run_id")
    for old, new in _RENAMES:
        op.execute(f"ALTER TABLE scheduled_run RENAME CONSTRAINT {new} TO {old}")
    op.rename_table("scheduled_run", "occurrence")


def _rename_key(old: str, new: str) -> None:
    """In messages that are still to be sent; sent messages stay as they were signed."""
    op.execute(
        sa.text(
            """
            UPDATE webhook_delivery SET body = replace(body, :old, :new)
            WHERE event = 'schedule.missed' AND status = 'pending'
            """
        ).bindparams(old=f'"{old}":', new=f'"{new}":')
    )
