"""whether the variation that services share was removed from a change"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "4c0b8d2e97fa"
down_revision: str | None = "e7a20c4b91f6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "change", sa.Column("is_adjusted", sa.Boolean(), nullable=False, server_default="false")
    )


def downgrade() -> None:
    op.drop_column("change", "is_adjusted")
