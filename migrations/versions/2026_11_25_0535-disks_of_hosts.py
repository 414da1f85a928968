"""free disk space of bench hosts"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "f20c6b8e4d17"
down_revision: str | None = "e71b3d90c4a8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "host", sa.Column("disk_shortage", sa.String(), server_default="", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("host", "disk_shortage")
