"""goals of runs, and how far the runs are"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "7f2c9a41d8e3"
down_revision: str | None = "d5a80c31f7e2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("run", sa.Column("goal", JSONB, nullable=True))
    op.add_column("run", sa.Column("goal_judgement", JSONB, nullable=True))


def downgrade() -> None:
    op.drop_column("run", "goal_judgement")
    op.drop_column("run", "goal")
