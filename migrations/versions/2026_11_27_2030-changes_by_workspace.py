"""indexes of the changes and incidents of a workspace by time"""

from collections.abc import Sequence

from alembic import op

revision: str = "e7a2c5904b1d"
down_revision: str | None = "d4e81b6f0c93"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_TABLES = ("change", "incident")


def upgrade() -> None:
    for table in _TABLES:
        op.create_index(f"ix_{table}_workspace_id_at_id", table, ["workspace_id", "at", "id"])
        op.drop_index(f"ix_{table}_workspace_id", table)


def downgrade() -> None:
    for table in _TABLES:
        op.create_index(f"ix_{table}_workspace_id", table, ["workspace_id"])
        op.drop_index(f"ix_{table}_workspace_id_at_id", table)
