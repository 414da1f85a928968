"""limits of workspaces"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e4b92c71d0a6"
down_revision: str | None = "d17a5c0f3e82"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_COLUMNS = {"max_queued_trials": "queued_trials", "max_bench_minutes": "bench_minutes"}


def upgrade() -> None:
    for column, constraint in _COLUMNS.items():
        op.add_column("workspace", sa.Column(column, sa.Integer, nullable=True))
        name = op.f(f"ck_workspace_{constraint}")
        op.create_check_constraint(name, "workspace", f"{column} >= 0")


def downgrade() -> None:
    for column in _COLUMNS:
        op.drop_column("workspace", column)
