"""the measurement of a second load generator"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "d5a80c31f7e2"
down_revision: str | None = "8f2d60c9b1e7"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("trial", sa.Column("second_reading", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("trial", "second_reading")
