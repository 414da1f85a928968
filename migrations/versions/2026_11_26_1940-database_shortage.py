"""shortage of space on the disk of the database"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "a83d50c6e1b4"
down_revision: str | None = "0b8d5e2f71ac"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "database_shortage",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column(
            "reported_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("id = 1", name=op.f("ck_database_shortage_only_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_database_shortage")),
    )


def downgrade() -> None:
    op.drop_table("database_shortage")
