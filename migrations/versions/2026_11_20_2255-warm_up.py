"""what decided the measured window, and how late requests were sent"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "e5d10b77a3c4"
down_revision: str | None = "c2a7e90d4b18"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("trial", sa.Column("warm_up", postgresql.JSONB(), nullable=True))
    op.add_column("trial", sa.Column("generator", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("trial", "generator")
    op.drop_column("trial", "warm_up")
