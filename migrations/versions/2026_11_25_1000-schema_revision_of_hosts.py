"""schema revision of hosts"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e61c9a3f07d4"
down_revision: str | None = "c83d5f0a9b62"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("host", sa.Column("schema_revision", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("host", "schema_revision")
