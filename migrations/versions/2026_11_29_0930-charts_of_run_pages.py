"""charts of run pages: warm-up, page faults, heat maps and the steps of each trial"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "5d0c7e92b1f4"
down_revision: str | None = "c3e5d81a07b9"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# The figures of all rows so far.
_FIGURES = "'{throughput_rps,latency_p99_ms,cpu_service_seconds,memory_bytes}'"
_ADDED: tuple[sa.Column[Any], ...] = (
    sa.Column("figures", sa.ARRAY(sa.String()), server_default=sa.text(_FIGURES), nullable=False),
    sa.Column("heat", sa.LargeBinary(), server_default="", nullable=False),
    sa.Column(
        "trial_steps", postgresql.JSONB(astext_type=sa.Text()), server_default="[]", nullable=False
    ),
)
_FOREIGN_KEY = "fk_cell_chart_cell_id_{}"


def upgrade() -> None:
    for column in _ADDED:
        op.add_column("cell_chart", column)
        op.alter_column("cell_chart", column.name, server_default=None)
    op.execute("UPDATE cell_chart SET figures = '{}' WHERE bands = ''")
    _point_to("cell", "id", instead_of="cell_summary")


def downgrade() -> None:
    # The earlier version reads the seconds and four figures, of three rows each.
    op.execute(
        "UPDATE cell_chart SET bands = "
        "substring(bands FROM 1 FOR length(bands) / (1 + 3 * cardinality(figures)) * 13)"
    )
    op.execute("DELETE FROM cell_chart WHERE cell_id NOT IN (SELECT cell_id FROM cell_summary)")
    _point_to("cell_summary", "cell_id", instead_of="cell")
    for column in _ADDED:
        op.drop_column("cell_chart", column.name)


def _point_to(table: str, column: str, *, instead_of: str) -> None:
    """Change which table deletes the rows of charts with its own."""
    op.drop_constraint(_FOREIGN_KEY.format(instead_of), "cell_chart")
    op.create_foreign_key(
        _FOREIGN_KEY.format(table),
        "cell_chart",
        table,
        ["cell_id"],
        [column],
        ondelete="CASCADE",
    )
