"""hosts that leave after their current trial"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d71b4e9c02f8"
down_revision: str | None = "c58d17e0f24a"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("host", sa.Column("leaving_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("host", "leaving_at")
