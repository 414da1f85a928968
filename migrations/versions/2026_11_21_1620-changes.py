"""changes, host events, limits, and cells that name builds"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "d81b5c0e94f2"
down_revision: str | None = "b7c2e4f80a15"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def _now(name: str) -> sa.Column[object]:
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )


def upgrade() -> None:
    op.add_column("cell", sa.Column("builds", postgresql.JSONB(), nullable=True))
    op.create_table(
        "slo",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("framework", sa.String(), nullable=True),
        sa.Column("scenario", sa.String(), nullable=False),
        sa.Column("profile", sa.String(), nullable=True),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("limit", sa.Float(), nullable=False),
        _now("created_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slo")),
    )
    op.create_index("ix_slo_scenario", "slo", ["scenario"])
    op.create_table(
        "host_event",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ratio", sa.Float(), nullable=False),
        sa.Column("series_shifted", sa.Integer(), nullable=False),
        sa.Column("series_total", sa.Integer(), nullable=False),
        _now("found_at"),
        sa.ForeignKeyConstraint(
            ["host_id"],
            ["host.id"],
            name=op.f("fk_host_event_host_id_host"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_host_event_run_id_run"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host_event")),
    )
    op.create_index(op.f("ix_host_event_host_id"), "host_event", ["host_id"])
    op.create_table(
        "change",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("series_digest", sa.String(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("framework", "scenario", "profile", "kind")
        ),
        sa.Column("parameters", postgresql.JSONB(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("runtime", sa.String(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("host_digest", "harness_digest", "scenario_digest")
        ),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("before_cell_id", sa.Uuid(), nullable=False),
        sa.Column("after_cell_id", sa.Uuid(), nullable=False),
        *(
            sa.Column(name, sa.Float(), nullable=False)
            for name in ("ratio", "low", "high", "p_value")
        ),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("is_by_hand", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("host_event_id", sa.Uuid(), nullable=True),
        sa.Column("retest_run_id", sa.Uuid(), nullable=True),
        *(
            sa.Column(name, sa.Float(), nullable=True)
            for name in ("retest_ratio", "retest_low", "retest_high")
        ),
        sa.Column("retest_pairs", sa.Integer(), nullable=True),
        _now("found_at"),
        _now("changed_at"),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_change_host_id_host")),
        sa.ForeignKeyConstraint(
            ["before_cell_id"],
            ["cell.id"],
            name=op.f("fk_change_before_cell_id_cell"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["after_cell_id"],
            ["cell.id"],
            name=op.f("fk_change_after_cell_id_cell"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["host_event_id"],
            ["host_event.id"],
            name=op.f("fk_change_host_event_id_host_event"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["retest_run_id"],
            ["run.id"],
            name=op.f("fk_change_retest_run_id_run"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change")),
        sa.UniqueConstraint("series_digest", "after_cell_id", name=op.f("uq_change_series_digest")),
    )
    op.create_index("ix_change_status_at", "change", ["status", "at"])
    op.create_index("ix_change_at_id", "change", ["at", "id"])
    op.create_index(op.f("ix_change_host_event_id"), "change", ["host_event_id"])
    op.create_index(op.f("ix_change_retest_run_id"), "change", ["retest_run_id"])


def downgrade() -> None:
    op.drop_table("change")
    op.drop_table("host_event")
    op.drop_table("slo")
    op.drop_column("cell", "builds")
