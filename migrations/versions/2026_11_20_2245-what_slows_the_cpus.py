"""what slows the CPUs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c2a7e90d4b18"
down_revision: str | None = "b40c3f1d7a52"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("sample", sa.Column("cpu_steal_seconds", sa.Float(), nullable=True))
    op.add_column("sample", sa.Column("thermal_throttles", sa.Integer(), nullable=True))
    op.add_column("sample", sa.Column("cpu_mhz", sa.Float(), nullable=True))


def downgrade() -> None:
    op.drop_column("sample", "cpu_mhz")
    op.drop_column("sample", "thermal_throttles")
    op.drop_column("sample", "cpu_steal_seconds")
