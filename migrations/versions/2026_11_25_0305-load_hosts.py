"""load hosts"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision: str = "a9c4e17d60b3"
down_revision: str | None = "d19b4e7c60a2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "host", sa.Column("service_address", sa.String(), server_default="", nullable=False)
    )
    op.add_column(
        "run", sa.Column("load_hosts", ARRAY(sa.String()), server_default="{}", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("run", "load_hosts")
    op.drop_column("host", "service_address")
