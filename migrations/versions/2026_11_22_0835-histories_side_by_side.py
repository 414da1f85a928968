"""the numbers of a history lie side by side in one index"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e7a20c4b91f6"
down_revision: str | None = "b1e4d7730c95"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_NUMBERS = ["estimate", "low", "high", "n", "mean_log"]


def upgrade() -> None:
    op.drop_index("ix_cell_metric_history", table_name="cell_metric")
    op.add_column("cell_metric", sa.Column("framework", sa.String()))
    op.add_column("cell_metric", sa.Column("scenario", sa.String()))
    op.add_column("cell_metric", sa.Column("at", sa.DateTime(timezone=True)))
    op.execute(
        "UPDATE cell_metric SET framework = cell_summary.framework, "
        "scenario = cell_summary.scenario, at = cell_summary.at "
        "FROM cell_summary WHERE cell_summary.cell_id = cell_metric.cell_id"
    )
    for column in ("framework", "scenario", "at"):
        op.alter_column("cell_metric", column, nullable=False)
    op.create_index(
        "ix_cell_metric_history",
        "cell_metric",
        ["framework", "scenario", "metric", sa.text("at DESC"), sa.text("cell_id DESC")],
        postgresql_include=_NUMBERS,
    )


def downgrade() -> None:
    op.drop_index("ix_cell_metric_history", table_name="cell_metric")
    for column in ("at", "scenario", "framework"):
        op.drop_column("cell_metric", column)
    op.create_index(
        "ix_cell_metric_history",
        "cell_metric",
        ["cell_id", "metric"],
        postgresql_include=_NUMBERS,
    )
