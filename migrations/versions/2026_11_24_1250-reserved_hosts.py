"""reserved hosts"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision: str = "f6a81d3b57c2"
down_revision: str | None = "e4b92c71d0a6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("host", sa.Column("reserved_for", ARRAY(sa.String()), nullable=True))


def downgrade() -> None:
    op.drop_column("host", "reserved_for")
