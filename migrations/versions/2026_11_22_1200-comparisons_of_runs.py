"""the runs of a snapshot, whose visibility it follows"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d1b7f5a60c38"
down_revision: str | None = "4c0b8d2e97fa"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("comparison", sa.Column("run_ids", sa.ARRAY(sa.Uuid())))
    op.execute(
        "UPDATE comparison SET run_ids = ARRAY("
        "SELECT DISTINCT (cell ->> 'run_id')::uuid "
        "FROM json_array_elements(document::json -> 'comparison' -> 'cells') AS cell)"
    )
    op.alter_column("comparison", "run_ids", nullable=False)


def downgrade() -> None:
    op.drop_column("comparison", "run_ids")
