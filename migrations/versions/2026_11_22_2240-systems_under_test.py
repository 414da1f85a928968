"""systems under test of studies, which were called subjects"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c92f5d08e1b7"
down_revision: str | None = "b7e3f1a86c42"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    _rename_key("subject", "system")
    _rename_key("subjects", "systems")


def downgrade() -> None:
    _rename_key("systems", "subjects")
    _rename_key("system", "subject")


def _rename_key(old: str, new: str) -> None:
    """Rename a key in the text of the manifests, where a colon and a space follow each key."""
    op.execute(
        sa.text(
            "UPDATE study SET manifest = CAST(replace(CAST(manifest AS text), :old, :new) AS jsonb)"
        ).bindparams(old=f'"{old}": ', new=f'"{new}": ')
    )
