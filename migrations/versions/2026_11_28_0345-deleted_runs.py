"""trials without foreign keys to their run, so that a large run is deleted at once"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c3f81b6d2e97"
down_revision: str | None = "b27d4f90a6c8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_PARENTS = {"run_id": "run", "cell_id": "cell"}


def upgrade() -> None:
    op.create_table(
        "deleted_run",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deleted_run"),
    )
    for column, parent in _PARENTS.items():
        op.drop_constraint(f"fk_trial_{column}_{parent}", "trial", type_="foreignkey")
    # No run or cell has the null id, which stands for runs that an earlier version deleted.
    op.execute(
        "INSERT INTO deleted_run SELECT '00000000-0000-0000-0000-000000000000' "
        "WHERE EXISTS (SELECT FROM trial WHERE run_id IS NULL)"
    )
    op.execute(
        "UPDATE trial SET run_id = '00000000-0000-0000-0000-000000000000', "
        "cell_id = '00000000-0000-0000-0000-000000000000' WHERE run_id IS NULL"
    )
    op.drop_index("ix_trial_detached", table_name="trial")
    for column in _PARENTS:
        op.alter_column("trial", column, existing_type=sa.Uuid(), nullable=False)


def downgrade() -> None:
    for column in _PARENTS:
        op.alter_column("trial", column, existing_type=sa.Uuid(), nullable=True)
    op.execute(
        "UPDATE trial SET run_id = NULL, cell_id = NULL "
        "WHERE NOT EXISTS (SELECT FROM run WHERE run.id = trial.run_id)"
    )
    op.create_index(
        "ix_trial_detached", "trial", ["id"], postgresql_where=sa.text("run_id IS NULL")
    )
    for column, parent in _PARENTS.items():
        op.create_foreign_key(
            f"fk_trial_{column}_{parent}", "trial", parent, [column], ["id"], ondelete="CASCADE"
        )
    op.drop_table("deleted_run")
