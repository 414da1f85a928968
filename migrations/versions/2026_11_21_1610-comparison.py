"""comparisons that are kept"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b7c2e4f80a15"
down_revision: str | None = "b8d24e6f1a73"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "comparison",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("hash", name="pk_comparison"),
    )


def downgrade() -> None:
    op.drop_table("comparison")
