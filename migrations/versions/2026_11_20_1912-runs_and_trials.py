"""runs and trials"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "6ed7f3a6991b"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "framework",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("manifest", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("colour", sa.Integer(), nullable=False),
        sa.Column("present", sa.Boolean(), server_default="true", nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_framework")),
        sa.UniqueConstraint("slug", name=op.f("uq_framework_slug")),
    )
    op.create_table(
        "host",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("runtime", sa.String(), nullable=False),
        sa.Column("fingerprint", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("fingerprint_digest", sa.String(), nullable=False),
        sa.Column("unavailable", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_host")),
        sa.UniqueConstraint("name", name=op.f("uq_host_name")),
    )
    op.create_table(
        "scenario",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("manifest", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("present", sa.Boolean(), server_default="true", nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scenario")),
        sa.UniqueConstraint("slug", name=op.f("uq_scenario_slug")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("trials_per_cell", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("request_digest", sa.String(), nullable=False),
        sa.Column("rerun_of_id", sa.Uuid(), nullable=True),
        sa.Column("cancel_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_run_host_id_host")),
        sa.ForeignKeyConstraint(["rerun_of_id"], ["run.id"], name=op.f("fk_run_rerun_of_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_run_idempotency_key")),
        sa.UniqueConstraint("slug", name=op.f("uq_run_slug")),
    )
    op.create_index("ix_run_created_at_id", "run", ["created_at", "id"], unique=False)
    op.create_index(op.f("ix_run_host_id"), "run", ["host_id"], unique=False)
    op.create_index(op.f("ix_run_status"), "run", ["status"], unique=False)
    op.create_table(
        "cell",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("framework_id", sa.Uuid(), nullable=False),
        sa.Column("scenario_id", sa.Uuid(), nullable=False),
        sa.Column("framework_digest", sa.String(), nullable=False),
        sa.Column("scenario_digest", sa.String(), nullable=False),
        sa.Column("profile", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["framework_id"], ["framework.id"], name=op.f("fk_cell_framework_id_framework")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_cell_run_id_run"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["scenario_id"], ["scenario.id"], name=op.f("fk_cell_scenario_id_scenario")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cell")),
    )
    op.create_index(op.f("ix_cell_framework_id"), "cell", ["framework_id"], unique=False)
    op.create_index(op.f("ix_cell_run_id"), "cell", ["run_id"], unique=False)
    op.create_index(op.f("ix_cell_scenario_id"), "cell", ["scenario_id"], unique=False)
    op.create_table(
        "trial",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("cell_id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("repetition", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "stage_seconds",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default="{}",
            nullable=False,
        ),
        sa.Column("runtime", sa.String(), nullable=True),
        sa.Column("image_digest", sa.String(), nullable=True),
        sa.Column(
            "environment",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default="{}",
            nullable=False,
        ),
        sa.Column(
            "conformance",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default="[]",
            nullable=False,
        ),
        sa.Column(
            "verdicts", postgresql.JSONB(astext_type=sa.Text()), server_default="[]", nullable=False
        ),
        sa.Column("failure", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("requests_total", sa.BigInteger(), nullable=True),
        sa.Column("k6_summary", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.ForeignKeyConstraint(
            ["cell_id"], ["cell.id"], name=op.f("fk_trial_cell_id_cell"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["host_id"], ["host.id"], name=op.f("fk_trial_host_id_host")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_trial_run_id_run"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
    )
    op.create_index(op.f("ix_trial_cell_id"), "trial", ["cell_id"], unique=False)
    op.create_index("ix_trial_host_id_status", "trial", ["host_id", "status"], unique=False)
    op.create_index("ix_trial_run_id_position", "trial", ["run_id", "position"], unique=False)
    op.create_table(
        "histogram",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("latency", sa.LargeBinary(), nullable=False),
        sa.Column("latency_failed", sa.LargeBinary(), nullable=False),
        sa.Column("latency_sum_ns", sa.BigInteger(), nullable=False),
        sa.Column("latency_max_ns", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name=op.f("fk_histogram_trial_id_trial"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", name=op.f("pk_histogram")),
    )
    op.create_table(
        "metric_value",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_id"],
            ["trial.id"],
            name=op.f("fk_metric_value_trial_id_trial"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("trial_id", "metric", name=op.f("pk_metric_value")),
    )
    op.create_table(
        "sample",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("errors", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("bytes_sent", sa.BigInteger(), nullable=False),
        sa.Column("bytes_received", sa.BigInteger(), nullable=False),
        sa.Column("dropped", sa.Integer(), nullable=False),
        sa.Column("vus", sa.Integer(), nullable=False),
        sa.Column("in_flight", sa.Double(), nullable=False),
        sa.Column("latency_p50_ms", sa.Double(), nullable=True),
        sa.Column("latency_p90_ms", sa.Double(), nullable=True),
        sa.Column("latency_p95_ms", sa.Double(), nullable=True),
        sa.Column("latency_p99_ms", sa.Double(), nullable=True),
        sa.Column("latency_max_ms", sa.Double(), nullable=True),
        sa.Column("latency", sa.LargeBinary(), nullable=False),
        sa.Column("cpu_service_seconds", sa.Double(), nullable=True),
        sa.Column("cpu_support_seconds", sa.Double(), nullable=True),
        sa.Column("cpu_load_seconds", sa.Double(), nullable=True),
        sa.Column("cpu_other_seconds", sa.Double(), nullable=True),
        sa.Column("throttled_seconds", sa.Double(), nullable=True),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_anon_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_file_bytes", sa.BigInteger(), nullable=True),
        sa.Column("memory_sock_bytes", sa.BigInteger(), nullable=True),
        sa.Column("threads", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name=op.f("fk_sample_trial_id_trial"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "phase", "second", name=op.f("pk_sample")),
    )
    op.create_table(
        "trial_log",
        sa.Column("trial_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_id"], ["trial.id"], name=op.f("fk_trial_log_trial_id_trial"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trial_id", "name", name=op.f("pk_trial_log")),
    )


def downgrade() -> None:
    op.drop_table("trial_log")
    op.drop_table("sample")
    op.drop_table("metric_value")
    op.drop_table("histogram")
    op.drop_index("ix_trial_run_id_position", table_name="trial")
    op.drop_index("ix_trial_host_id_status", table_name="trial")
    op.drop_index(op.f("ix_trial_cell_id"), table_name="trial")
    op.drop_table("trial")
    op.drop_index(op.f("ix_cell_scenario_id"), table_name="cell")
    op.drop_index(op.f("ix_cell_run_id"), table_name="cell")
    op.drop_index(op.f("ix_cell_framework_id"), table_name="cell")
    op.drop_table("cell")
    op.drop_index(op.f("ix_run_status"), table_name="run")
    op.drop_index(op.f("ix_run_host_id"), table_name="run")
    op.drop_index("ix_run_created_at_id", table_name="run")
    op.drop_table("run")
    op.drop_table("scenario")
    op.drop_table("host")
    op.drop_table("framework")
