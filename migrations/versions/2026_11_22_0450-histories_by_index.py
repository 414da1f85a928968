"""a history reads its numbers and the names of its runs from indexes alone"""

from collections.abc import Sequence

from alembic import op

revision: str = "b1e4d7730c95"
down_revision: str | None = "7c1e5a90d2b4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(
        "ix_cell_metric_history",
        "cell_metric",
        ["cell_id", "metric"],
        postgresql_include=["estimate", "low", "high", "n", "mean_log"],
    )
    op.create_index("ix_run_slugs", "run", ["id"], postgresql_include=["slug"])


def downgrade() -> None:
    op.drop_index("ix_run_slugs", table_name="run")
    op.drop_index("ix_cell_metric_history", table_name="cell_metric")
