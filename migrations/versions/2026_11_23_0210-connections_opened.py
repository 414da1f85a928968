"""connections that the load generator opened, per second"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "6b92e5d0f3a8"
down_revision: str | None = "41f0c7ab926d"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("sample", sa.Column("connections_opened", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("sample", "connections_opened")
