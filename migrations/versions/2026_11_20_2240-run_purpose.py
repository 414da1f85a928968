"""what a run is for"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b40c3f1d7a52"
down_revision: str | None = "6ed7f3a6991b"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "run", sa.Column("purpose", sa.String(), server_default="comparison", nullable=False)
    )


def downgrade() -> None:
    op.drop_column("run", "purpose")
