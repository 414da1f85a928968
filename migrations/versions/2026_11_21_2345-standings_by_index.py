"""standings, the newest host and runs set apart are looked up by indexes alone"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "7c1e5a90d2b4"
down_revision: str | None = "2f6b90d4e1a8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_COLUMNS = ("scenario", "host_id", "profile", "framework", "barred", "board")


def upgrade() -> None:
    op.drop_index("ix_cell_summary_standings", table_name="cell_summary")
    op.create_index(
        "ix_cell_summary_standings",
        "cell_summary",
        [*_COLUMNS, sa.text("at DESC"), sa.text("cell_id DESC")],
        postgresql_include=["run_id", "runtime"],
    )
    op.create_index("ix_cell_summary_scenario_at", "cell_summary", ["scenario", "at"])
    op.create_index(
        "ix_run_apart",
        "run",
        ["id"],
        postgresql_where=sa.text("purpose <> 'comparison' OR visibility <> 'public'"),
    )


def downgrade() -> None:
    op.drop_index("ix_run_apart", table_name="run")
    op.drop_index("ix_cell_summary_scenario_at", table_name="cell_summary")
    op.drop_index("ix_cell_summary_standings", table_name="cell_summary")
    op.create_index(
        "ix_cell_summary_standings",
        "cell_summary",
        [*_COLUMNS, sa.text("at DESC"), sa.text("cell_id DESC")],
    )
