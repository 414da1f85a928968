"""the host of a scheduled run"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c3f81a5d20e7"
down_revision: str | None = "c4e8a1d70f35"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_KEY = "uq_scheduled_run_schedule_id"
_HOST = "fk_scheduled_run_host_id_host"


def upgrade() -> None:
    op.add_column("scheduled_run", sa.Column("host_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(_HOST, "scheduled_run", "host", ["host_id"], ["id"], ondelete="CASCADE")
    op.execute(
        "UPDATE scheduled_run SET host_id = run.host_id FROM run"
        " WHERE run.id = scheduled_run.run_id"
    )
    op.drop_constraint(_KEY, "scheduled_run", type_="unique")
    op.create_unique_constraint(
        _KEY,
        "scheduled_run",
        ["schedule_id", "due_at", "host_id"],
        postgresql_nulls_not_distinct=True,
    )


def downgrade() -> None:
    # Earlier versions have one scheduled run per time, and one host per schedule.
    op.execute(
        "DELETE FROM scheduled_run other USING scheduled_run first"
        " WHERE other.schedule_id = first.schedule_id AND other.due_at = first.due_at"
        " AND other.id > first.id"
    )
    op.execute("DELETE FROM schedule WHERE request ->> 'hosts' IS NOT NULL")
    op.drop_constraint(_KEY, "scheduled_run", type_="unique")
    op.create_unique_constraint(_KEY, "scheduled_run", ["schedule_id", "due_at"])
    op.drop_constraint(_HOST, "scheduled_run", type_="foreignkey")
    op.drop_column("scheduled_run", "host_id")
