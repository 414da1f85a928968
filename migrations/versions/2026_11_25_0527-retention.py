"""retention: how long seconds and logs are kept, and what was removed of a run"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e71b3d90c4a8"
down_revision: str | None = "c3f81a5d20e7"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_PERIODS = ("seconds_days", "logs_days")
_TIMES = ("seconds_removed_at", "logs_removed_at")
# Runs with the rights of the tables' owner. It drops no seconds of a run that still has them.
_DROP = """
CREATE FUNCTION drop_sample_partition(first_day date) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    begins timestamp := date_trunc('month', first_day::timestamp);
    ends timestamp := begins + interval '1 month';
    partition_name text := 'sample_' || to_char(begins, 'YYYY_MM');
    lower_id uuid := public.first_id_at(begins AT TIME ZONE 'UTC');
    upper_id uuid := public.first_id_at(ends AT TIME ZONE 'UTC');
BEGIN
    IF ends > now() AT TIME ZONE 'UTC' OR to_regclass('public.' || partition_name) IS NULL THEN
        RETURN false;
    END IF;
    IF EXISTS (
        SELECT FROM public.trial JOIN public.run ON run.id = trial.run_id
        WHERE trial.id >= lower_id AND trial.id < upper_id AND run.seconds_removed_at IS NULL
    ) THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE public.%I', partition_name);
    RETURN true;
END $$
"""
_DROP_NAME = "drop_sample_partition(date)"


def upgrade() -> None:
    op.create_table(
        "retention_setting",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        *(sa.Column(period, sa.Integer(), nullable=True) for period in _PERIODS),
        sa.CheckConstraint("id = 1", name=op.f("ck_retention_setting_only_row")),
        *(
            sa.CheckConstraint(f"{period} > 0", name=op.f(f"ck_retention_setting_{period}"))
            for period in _PERIODS
        ),
        sa.PrimaryKeyConstraint("id", name="pk_retention_setting"),
    )
    op.execute("INSERT INTO retention_setting (id) VALUES (1)")
    for period in _PERIODS:
        op.add_column("workspace", sa.Column(period, sa.Integer(), nullable=True))
        name = op.f(f"ck_workspace_{period}")
        op.create_check_constraint(name, "workspace", f"{period} > 0")
    for time in _TIMES:
        op.add_column("run", sa.Column(time, sa.DateTime(timezone=True), nullable=True))
        op.create_index(
            f"ix_run_{time}_is_null",
            "run",
            ["workspace_id", "finished_at"],
            postgresql_where=sa.text(f"{time} IS NULL"),
        )
    op.add_column("run", sa.Column("removal_reason", sa.String(), nullable=True))
    op.create_check_constraint(
        "removalreason", "run", "removal_reason IN ('archived', 'retention')"
    )
    op.add_column(
        "run", sa.Column("has_removed_rows", sa.Boolean(), server_default="false", nullable=False)
    )
    op.create_index(
        "ix_run_has_removed_rows", "run", ["id"], postgresql_where=sa.text("has_removed_rows")
    )
    op.execute(_DROP)
    op.execute(f"REVOKE EXECUTE ON FUNCTION {_DROP_NAME} FROM PUBLIC")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {_DROP_NAME}")
    op.drop_index("ix_run_has_removed_rows", "run")
    op.drop_column("run", "has_removed_rows")
    op.drop_constraint(op.f("ck_run_removalreason"), "run", type_="check")
    op.drop_column("run", "removal_reason")
    for time in _TIMES:
        op.drop_index(f"ix_run_{time}_is_null", "run")
        op.drop_column("run", time)
    for period in _PERIODS:
        op.drop_column("workspace", period)
    op.drop_table("retention_setting")
