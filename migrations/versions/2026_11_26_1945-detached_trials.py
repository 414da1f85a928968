"""trials of a large run that was deleted"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b94e61d7f2c5"
down_revision: str | None = "a83d50c6e1b4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_COLUMNS = ("run_id", "cell_id")


def upgrade() -> None:
    for column in _COLUMNS:
        op.alter_column("trial", column, existing_type=sa.Uuid(), nullable=True)
    op.create_index(
        "ix_trial_detached", "trial", ["id"], postgresql_where=sa.text("run_id IS NULL")
    )


def downgrade() -> None:
    op.drop_index("ix_trial_detached", table_name="trial")
    op.execute("DELETE FROM trial WHERE run_id IS NULL")
    for column in _COLUMNS:
        op.alter_column("trial", column, existing_type=sa.Uuid(), nullable=False)
