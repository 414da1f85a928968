"""why a host runs services where it does, and from which base images"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "7e2a94c1d5b3"
down_revision: str | None = "6f2a9c41d7e0"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    reason = sa.Column("runtime_reason", sa.String(), server_default="", nullable=False)
    op.add_column("host", reason)


def downgrade() -> None:
    op.drop_column("host", "runtime_reason")
