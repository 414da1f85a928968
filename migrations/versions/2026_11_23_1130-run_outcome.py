"""the outcome of runs, and their answer in one line"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b41f6c20d9a7"
down_revision: str | None = "7f2c9a41d8e3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("run", sa.Column("outcome", sa.String(), nullable=True))
    op.add_column("run", sa.Column("summary", sa.String(), nullable=True))
    # Version 0: a worker computes the outcome of runs that have ended before.
    op.add_column(
        "run", sa.Column("outcome_version", sa.Integer(), server_default="0", nullable=False)
    )
    op.create_check_constraint(
        "runoutcome", "run", "outcome IN ('usable', 'usable_with_warnings', 'not_usable')"
    )
    op.create_index("ix_run_outcome_version", "run", ["outcome_version"])


def downgrade() -> None:
    op.drop_index("ix_run_outcome_version", "run")
    op.drop_constraint(op.f("ck_run_runoutcome"), "run", type_="check")
    op.drop_column("run", "outcome_version")
    op.drop_column("run", "summary")
    op.drop_column("run", "outcome")
