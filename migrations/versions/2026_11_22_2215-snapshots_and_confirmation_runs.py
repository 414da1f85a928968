"""rename comparison to snapshot"""

from collections.abc import Sequence

from alembic import op

revision: str = "a94d37e1c52f"
down_revision: str | None = "4c8e1f70b2a6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.rename_table("comparison", "snapshot")
    op.execute("ALTER TABLE snapshot RENAME CONSTRAINT pk_comparison TO pk_snapshot")


def downgrade() -> None:
    op.execute("ALTER TABLE snapshot RENAME CONSTRAINT pk_snapshot TO pk_comparison")
    op.rename_table("snapshot", "comparison")
