"""checks of the responses under load, and the checks after it"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "8f2d60c9b1e7"
down_revision: str | None = "c41b7e9d2a60"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("trial", sa.Column("checks", postgresql.JSONB(), nullable=True))
    op.add_column(
        "trial",
        sa.Column("conformance_after", postgresql.JSONB(), server_default="[]", nullable=False),
    )


def downgrade() -> None:
    op.drop_column("trial", "conformance_after")
    op.drop_column("trial", "checks")
