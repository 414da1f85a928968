"""indexes of pages that grow with the number of runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c58d17e0f24a"
down_revision: str | None = "a93c51e7d06b"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


_SERIES = ["framework", "scenario", "profile", "host_id", "at"]
_SHOWN_OF_CELL = [
    *("run_id", "workspace_id", "host_id"),
    *("profile", "kind", "parameters", "board", "excluded"),
]

_LATEST = [
    *("scenario", "host_id", "profile", "framework", "excluded", "board"),
    sa.text("at DESC"),
    sa.text("cell_id DESC"),
]


def upgrade() -> None:
    op.create_index(
        "ix_run_not_comparison",
        "run",
        ["purpose", "created_at", "id"],
        postgresql_where=sa.text("purpose <> 'comparison'"),
    )
    op.drop_index("ix_cell_summary_framework_scenario_at", "cell_summary")
    op.create_index(
        "ix_cell_summary_history",
        "cell_summary",
        ["framework", "scenario", "at", "cell_id"],
        postgresql_include=_SHOWN_OF_CELL,
    )
    op.drop_index("ix_cell_summary_series", "cell_summary")
    op.create_index(
        "ix_cell_summary_series",
        "cell_summary",
        [*_SERIES, "cell_id"],
        postgresql_include=["run_id"],
    )
    op.drop_index("ix_cell_summary_latest", "cell_summary")
    op.create_index(
        "ix_cell_summary_latest",
        "cell_summary",
        _LATEST,
        postgresql_include=["run_id", "runtime", "workspace_id"],
    )
    op.create_index(
        "ix_trial_second_reading",
        "trial",
        ["run_id"],
        postgresql_where=sa.text("second_reading IS NOT NULL"),
    )
    op.create_index(
        "ix_cell_summary_framework_at_cell_id", "cell_summary", ["framework", "at", "cell_id"]
    )
    op.create_index("ix_cell_summary_at_cell_id", "cell_summary", ["at", "cell_id"])
    op.create_index(
        "ix_scheduled_run_missed",
        "scheduled_run",
        ["due_at"],
        postgresql_where=sa.text("status = 'missed'"),
    )


def downgrade() -> None:
    op.drop_index("ix_scheduled_run_missed", "scheduled_run")
    op.drop_index("ix_cell_summary_at_cell_id", "cell_summary")
    op.drop_index("ix_cell_summary_framework_at_cell_id", "cell_summary")
    op.drop_index("ix_trial_second_reading", "trial")
    op.drop_index("ix_cell_summary_latest", "cell_summary")
    op.create_index(
        "ix_cell_summary_latest",
        "cell_summary",
        _LATEST,
        postgresql_include=["run_id", "runtime"],
    )
    op.drop_index("ix_cell_summary_series", "cell_summary")
    op.create_index("ix_cell_summary_series", "cell_summary", [*_SERIES, "run_id"])
    op.drop_index("ix_cell_summary_history", "cell_summary")
    op.create_index(
        "ix_cell_summary_framework_scenario_at", "cell_summary", ["framework", "scenario", "at"]
    )
    op.drop_index("ix_run_not_comparison", "run")
