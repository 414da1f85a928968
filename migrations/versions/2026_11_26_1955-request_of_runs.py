"""id of the request of a run, for log lines"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b71c4e92f05d"
down_revision: str | None = "a5d3e07c91b2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("run", sa.Column("request_id", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "request_id")
