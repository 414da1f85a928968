"""rename the columns of a run's finalization"""

from collections.abc import Sequence

from alembic import op

revision: str = "4c8e1f70b2a6"
down_revision: str | None = "a4d0c7e2b915"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_NAMES = (
    ("concluded_at", "finalized_at"),
    ("conclusion_attempts", "finalization_attempts"),
    ("conclusion_error", "finalization_error"),
    ("conclude_after", "finalize_after"),
)


def upgrade() -> None:
    for old, new in _NAMES:
        op.alter_column("run", old, new_column_name=new)
    op.execute("ALTER INDEX ix_run_unconcluded RENAME TO ix_run_unfinalized")


def downgrade() -> None:
    op.execute("ALTER INDEX ix_run_unfinalized RENAME TO ix_run_unconcluded")
    for old, new in _NAMES:
        op.alter_column("run", new, new_column_name=old)
