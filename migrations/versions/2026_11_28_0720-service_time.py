"""the service time of requests next to their latency from the due time"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e91c4b07a5d3"
down_revision: str | None = "c3f81b6d2e97"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("histogram", sa.Column("service_time", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("histogram", "service_time")
