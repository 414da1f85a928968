"""a trial's failure names its cause; failures of repeated attempts are stored"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "6f2a9c41d7e0"
down_revision: str | None = "d1b7f5a60c38"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column(
        "trial", sa.Column("retried_failures", JSONB(), nullable=False, server_default="[]")
    )
    op.execute(
        """
        UPDATE trial SET failure = failure || jsonb_build_object('cause', CASE
            WHEN failure ->> 'code' IN ('build_failed', 'start_failed', 'verification_failed')
                THEN 'service'
            WHEN failure ->> 'code' IN ('load_failed', 'load_line_invalid') THEN 'load_generator'
            WHEN failure ->> 'code' IN ('worker_lost', 'runtime_failure', 'runtime_unavailable')
                THEN 'infrastructure'
            WHEN failure ->> 'code' IN ('cancelled', 'build_gone', 'not_found', 'manifest_invalid')
                THEN 'user'
            ELSE 'tacho' END)
        WHERE jsonb_typeof(failure) = 'object'
        """
    )


def downgrade() -> None:
    op.execute(
        "UPDATE trial SET failure = failure - 'cause' WHERE jsonb_typeof(failure) = 'object'"
    )
    op.drop_column("trial", "retried_failures")
