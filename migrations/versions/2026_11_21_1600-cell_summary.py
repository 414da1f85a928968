"""summaries of the cells of ended runs, and which runs are finalized"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "a3f1c9d27b60"
down_revision: str | None = "e5d10b77a3c4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("run", sa.Column("concluded_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_run_unconcluded",
        "run",
        ["finished_at"],
        postgresql_where=sa.text("finished_at IS NOT NULL AND concluded_at IS NULL"),
    )
    op.create_table(
        "cell_summary",
        sa.Column("cell_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("framework", sa.String(), nullable=False),
        sa.Column("scenario", sa.String(), nullable=False),
        sa.Column("profile", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(), nullable=False),
        sa.Column("runtime", sa.String(), nullable=False),
        sa.Column("host_digest", sa.String(), nullable=False),
        sa.Column("harness_digest", sa.String(), nullable=False),
        sa.Column("framework_digest", sa.String(), nullable=False),
        sa.Column("scenario_digest", sa.String(), nullable=False),
        sa.Column("image_digest", sa.String(), nullable=True),
        sa.Column("board", sa.String(), nullable=False),
        sa.Column("trials_succeeded", sa.Integer(), nullable=False),
        sa.Column("trials_failed", sa.Integer(), nullable=False),
        sa.Column("verdicts", postgresql.JSONB(), nullable=False),
        sa.Column("barred", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cell_id"], ["cell.id"], name="fk_cell_summary_cell_id_cell", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name="fk_cell_summary_host_id_host"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_cell_summary_run_id_run", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("cell_id", name="pk_cell_summary"),
    )
    op.create_index("ix_cell_summary_run_id", "cell_summary", ["run_id"])
    op.create_index(
        "ix_cell_summary_framework_scenario_at", "cell_summary", ["framework", "scenario", "at"]
    )
    op.create_index(
        "ix_cell_summary_scenario_host_id_at", "cell_summary", ["scenario", "host_id", "at"]
    )
    op.create_index(
        "ix_cell_summary_standings",
        "cell_summary",
        [
            *("scenario", "host_id", "profile", "framework", "barred", "board"),
            sa.text("at DESC"),
            sa.text("cell_id DESC"),
        ],
    )
    op.create_table(
        "cell_metric",
        sa.Column("cell_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("estimate", sa.Float(), nullable=False),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("mean_log", sa.Float(), nullable=True),
        sa.Column("sd_log", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["cell_id"],
            ["cell_summary.cell_id"],
            name="fk_cell_metric_cell_id_cell_summary",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("cell_id", "metric", name="pk_cell_metric"),
    )


def downgrade() -> None:
    op.drop_table("cell_metric")
    op.drop_table("cell_summary")
    op.drop_index("ix_run_unconcluded", table_name="run")
    op.drop_column("run", "concluded_at")
