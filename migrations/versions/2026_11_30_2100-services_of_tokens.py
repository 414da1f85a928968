"""access tokens that may guard certain own services only"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c41f6a0d93e7"
down_revision: str | None = "b30d8f72a4c6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("access_token", sa.Column("services", sa.ARRAY(sa.String()), nullable=True))


def downgrade() -> None:
    op.drop_column("access_token", "services")
