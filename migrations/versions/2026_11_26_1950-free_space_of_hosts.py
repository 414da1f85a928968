"""size and free space of the disks of bench hosts"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "a5d3e07c91b2"
down_revision: str | None = "b94e61d7f2c5"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("host", sa.Column("disks", JSONB(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("host", "disks")
