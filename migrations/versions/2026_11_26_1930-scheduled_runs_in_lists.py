"""lists of runs without those of schedules"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0b8d5e2f71ac"
down_revision: str | None = "f4c19b70a3e6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "run", sa.Column("is_scheduled", sa.Boolean(), server_default="false", nullable=False)
    )
    op.execute("UPDATE run SET is_scheduled = true WHERE id IN (SELECT run_id FROM scheduled_run)")
    op.create_index(
        "ix_run_not_scheduled",
        "run",
        ["created_at", "id"],
        postgresql_where=sa.text("NOT is_scheduled"),
    )


def downgrade() -> None:
    op.drop_index("ix_run_not_scheduled", table_name="run")
    op.drop_column("run", "is_scheduled")
