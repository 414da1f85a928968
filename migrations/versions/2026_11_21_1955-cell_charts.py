"""stored chart data of each cell"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "7e0c5b1d48a9"
down_revision: str | None = "c4e8a1f95d20"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    # Charts of runs that were finalized earlier are computed when they are first opened.
    op.create_table(
        "cell_chart",
        sa.Column("cell_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("latency", sa.LargeBinary(), nullable=False),
        sa.Column("bands", sa.LargeBinary(), nullable=False),
        sa.Column("steps", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["cell_id"],
            ["cell_summary.cell_id"],
            name=op.f("fk_cell_chart_cell_id_cell_summary"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("cell_id", name=op.f("pk_cell_chart")),
    )


def downgrade() -> None:
    op.drop_table("cell_chart")
