"""let trials that the host disturbed count"""

from collections.abc import Sequence

from alembic import op

revision: str = "7b1f0c2d9a64"
down_revision: str | None = "7b20c9e4f1d8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# The verdicts of finalized results stay as they were computed.
_RENAME = """
    UPDATE trial SET verdicts = (
        SELECT jsonb_agg(CASE
            WHEN item->>'of_host' = 'true' AND item->>'verdict' IN ('rate_missed', 'throttled')
            THEN jsonb_build_object('verdict', 'host_disturbed', 'detail', item->'detail')
            ELSE item - 'of_host'
        END ORDER BY number)
        FROM jsonb_array_elements(trial.verdicts) WITH ORDINALITY AS found (item, number)
    )
    WHERE jsonb_path_exists(verdicts, '$[*].of_host')
"""


def upgrade() -> None:
    op.execute(_RENAME)


def downgrade() -> None:
    """Do nothing: earlier versions read the verdicts too, and count the trials."""
