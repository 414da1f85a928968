"""stored guards, and results of loads that a script sends"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "e17c5f3b8a62"
down_revision: str | None = "9a4be06d27c1"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_EARLIER_KINDS = ("rate", "users", "saturate", "steps", "count")
_VERDICTS = "('slower', 'faster', 'no_difference', 'unknown', 'responses_differ')"


def upgrade() -> None:
    op.create_table(
        "guard",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("headline", sa.String(), nullable=False),
        sa.Column("report", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("requested_by", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(f"verdict IN {_VERDICTS}", name=op.f("ck_guard_guardverdict")),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_guard_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guard")),
        sa.UniqueConstraint("slug", name=op.f("uq_guard_slug")),
    )
    op.create_index(
        "ix_guard_workspace_id_service_created_at_id",
        "guard",
        ["workspace_id", "service", "created_at", "id"],
    )
    _allow_kinds((*_EARLIER_KINDS, "script"))


def downgrade() -> None:
    # The earlier version cannot read the results of scripts.
    op.execute("DELETE FROM run WHERE id IN (SELECT run_id FROM cell WHERE kind = 'script')")
    _allow_kinds(_EARLIER_KINDS)
    op.drop_table("guard")


def _allow_kinds(kinds: Sequence[str]) -> None:
    """Let columns with a kind of load have these values."""
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    for table in ("cell", "cell_summary", "change"):
        name = op.f(f"ck_{table}_profilekind")
        op.drop_constraint(name, table, type_="check")
        op.create_check_constraint(name, table, f"kind IN ({listed})")
