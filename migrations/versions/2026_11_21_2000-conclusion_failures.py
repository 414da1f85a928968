"""why a run could not be finalized; two changes of a series may begin at the same cell"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "2f6b90d4e1a8"
down_revision: str | None = "7e0c5b1d48a9"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "run",
        sa.Column("conclusion_attempts", sa.Integer(), server_default="0", nullable=False),
    )
    op.add_column("run", sa.Column("conclusion_error", sa.String(), nullable=True))
    op.add_column("run", sa.Column("conclude_after", sa.DateTime(timezone=True), nullable=True))
    op.drop_constraint("uq_change_series_digest", "change", type_="unique")
    op.create_index("ix_change_series_digest_at", "change", ["series_digest", "at"])


def downgrade() -> None:
    op.drop_index("ix_change_series_digest_at", table_name="change")
    # The older schema holds one change per series and cell. Keep the change that was found first.
    op.execute(
        "DELETE FROM change later USING change earlier"
        " WHERE later.series_digest = earlier.series_digest"
        " AND later.after_cell_id = earlier.after_cell_id AND later.id > earlier.id"
    )
    op.create_unique_constraint(
        "uq_change_series_digest", "change", ["series_digest", "after_cell_id"]
    )
    op.drop_column("run", "conclude_after")
    op.drop_column("run", "conclusion_error")
    op.drop_column("run", "conclusion_attempts")
