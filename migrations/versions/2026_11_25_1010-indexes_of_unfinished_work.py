"""indexes of unfinished runs and trials, of calibrations, and of the end of runs"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e2b7094c51da"
down_revision: str | None = "f27d84b05ec9"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_UNFINISHED = sa.text("status NOT IN ('succeeded', 'failed', 'cancelled')")


def upgrade() -> None:
    op.drop_index("ix_trial_host_id_status", "trial")
    op.create_index(
        "ix_trial_unfinished", "trial", ["host_id", "status"], postgresql_where=_UNFINISHED
    )
    op.create_index(
        "ix_run_unfinished", "run", ["host_id", "created_at", "id"], postgresql_where=_UNFINISHED
    )
    op.create_index(
        "ix_run_calibration",
        "run",
        ["host_id", "created_at"],
        postgresql_where=sa.text("purpose = 'calibration'"),
    )
    op.create_index("ix_run_finished_at", "run", ["finished_at"])


def downgrade() -> None:
    op.drop_index("ix_run_finished_at", "run")
    op.drop_index("ix_run_calibration", "run")
    op.drop_index("ix_run_unfinished", "run")
    op.drop_index("ix_trial_unfinished", "trial")
    op.create_index("ix_trial_host_id_status", "trial", ["host_id", "status"])
