"""schedules and their scheduled runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "c4e8a1f95d20"
down_revision: str | None = "5d21c7e09ab4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_NOW = sa.text("now()")


def upgrade() -> None:
    op.create_table(
        "schedule",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("cron", sa.String(), nullable=False),
        sa.Column("time_zone", sa.String(), nullable=False),
        sa.Column("request", postgresql.JSONB(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schedule"),
    )
    op.create_index(
        "ix_schedule_due",
        "schedule",
        ["next_at"],
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )
    op.create_table(
        "occurrence",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("schedule_id", sa.Uuid(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("detail", sa.String(), server_default="", nullable=False),
        sa.Column("skipped", sa.Integer(), server_default="0", nullable=False),
        sa.Column("expected_by", sa.DateTime(timezone=True), nullable=True),
        sa.Column("is_watched", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_occurrence_run_id_run", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["schedule_id"],
            ["schedule.id"],
            name="fk_occurrence_schedule_id_schedule",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_occurrence"),
        sa.UniqueConstraint("schedule_id", "due_at", name="uq_occurrence_schedule_id"),
    )
    op.create_index("ix_occurrence_run_id", "occurrence", ["run_id"])
    op.create_index(
        "ix_occurrence_watched",
        "occurrence",
        ["due_at"],
        postgresql_where=sa.text("is_watched"),
    )


def downgrade() -> None:
    op.drop_table("occurrence")
    op.drop_table("schedule")
