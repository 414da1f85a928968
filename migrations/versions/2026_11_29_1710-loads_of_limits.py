"""limits of results that belong to a load"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "9a4be06d27c1"
down_revision: str | None = "5d0c7e92b1f4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    json = postgresql.JSONB(astext_type=sa.Text())
    op.add_column("slo", sa.Column("parameters", json, server_default="{}", nullable=False))


def downgrade() -> None:
    # Without its load, a limit would judge other loads.
    op.execute("DELETE FROM slo WHERE parameters <> '{}'")
    op.drop_column("slo", "parameters")
