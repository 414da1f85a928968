"""what measures on a host: a calibration by another load generator is stale"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "b8d24e6f1a73"
down_revision: str | None = "a3f1c9d27b60"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    harness = sa.Column("harness", postgresql.JSONB(), server_default="{}", nullable=False)
    op.add_column("host", harness)


def downgrade() -> None:
    op.drop_column("host", "harness")
