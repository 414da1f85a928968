"""indexes of the runs with a framework or scenario"""

from collections.abc import Sequence

from alembic import op

revision: str = "e4a60b8d37f1"
down_revision: str | None = "c83e5d1f7a46"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index("ix_cell_framework_id_run_id", "cell", ["framework_id", "run_id"])
    op.drop_index("ix_cell_framework_id", "cell")
    op.create_index("ix_cell_scenario_id_run_id", "cell", ["scenario_id", "run_id"])
    op.drop_index("ix_cell_scenario_id", "cell")


def downgrade() -> None:
    op.create_index("ix_cell_scenario_id", "cell", ["scenario_id"])
    op.drop_index("ix_cell_scenario_id_run_id", "cell")
    op.create_index("ix_cell_framework_id", "cell", ["framework_id"])
    op.drop_index("ix_cell_framework_id_run_id", "cell")
