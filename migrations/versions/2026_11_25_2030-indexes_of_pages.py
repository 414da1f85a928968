"""indexes of pages that grow with the number of runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c58d17e0f24a"
down_revision: str | None = "a93c51e7d06b"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(
        "ix_run_not_comparison",
        "run",
        ["purpose", "created_at", "id"],
        postgresql_where=sa.text("purpose <> 'comparison'"),
    )


def downgrade() -> None:
    op.drop_index("ix_run_not_comparison", "run")
