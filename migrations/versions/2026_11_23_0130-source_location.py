"""source locations of study tables and claims, which were called places"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "5d1c7e9a40f2"
down_revision: str | None = "c92f5d08e1b7"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    _rename_key("place", "source_location")


def downgrade() -> None:
    _rename_key("source_location", "place")


def _rename_key(old: str, new: str) -> None:
    """Rename a key in the text of the manifests, where a colon and a space follow each key."""
    op.execute(
        sa.text(
            "UPDATE study SET manifest = CAST(replace(CAST(manifest AS text), :old, :new) AS jsonb)"
        ).bindparams(old=f'"{old}": ', new=f'"{new}": ')
    )
