"""page faults of the service, per second"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "41f0c7ab926d"
down_revision: str | None = "8e60b3d4f175"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("sample", sa.Column("page_faults", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("sample", "page_faults")
