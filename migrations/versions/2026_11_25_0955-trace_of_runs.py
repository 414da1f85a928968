"""trace context of the request of a run"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c83d5f0a9b62"
down_revision: str | None = "f20c6b8e4d17"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("run", sa.Column("traceparent", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "traceparent")
