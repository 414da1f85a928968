"""the schema of 28 November 2026

The commit 35b5a26c has the migrations that led to it. `earlier_revisions.txt` lists them, and
docs/operator-guide/upgrades.md explains how older data get here.
"""

from collections.abc import Sequence
from pathlib import Path

from alembic import op
from sqlalchemy import text

revision: str = "7b1f0c2d9a64"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_SCHEMA = Path(__file__).with_suffix(".sql")
# This month and the next two.
_PARTITIONS = """
    SELECT create_sample_partition(first_day::date) FROM generate_series(
        date_trunc('month', now() AT TIME ZONE 'UTC'),
        now() AT TIME ZONE 'UTC' + interval '2 months', interval '1 month') AS first_day
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(
        _SCHEMA.read_text(encoding="utf-8"), execution_options={"no_parameters": True}
    )
    op.get_bind().execute(text(_PARTITIONS))


def downgrade() -> None:
    raise NotImplementedError("There is no schema before the baseline.")
