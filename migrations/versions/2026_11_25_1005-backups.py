"""backups"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "f27d84b05ec9"
down_revision: str | None = "e61c9a3f07d4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "backup",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "ended_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("file", sa.String(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_backup")),
    )
    op.create_index(op.f("ix_backup_ended_at"), "backup", ["ended_at"])


def downgrade() -> None:
    op.drop_table("backup")
