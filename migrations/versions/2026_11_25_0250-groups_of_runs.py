"""groups of runs, and the requester of a run"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d19b4e7c60a2"
down_revision: str | None = "a9d04c7e61b8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "run_group",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("request_digest", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name="fk_run_group_workspace_id_workspace",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("slug", name="pk_run_group"),
        sa.UniqueConstraint("workspace_id", "idempotency_key", name="uq_run_group_workspace_id"),
    )
    op.add_column("run", sa.Column("group_slug", sa.String(), nullable=True))
    op.create_index("ix_run_group_slug", "run", ["group_slug"])
    op.create_foreign_key(
        "fk_run_group_slug_run_group",
        "run",
        "run_group",
        ["group_slug"],
        ["slug"],
        ondelete="SET NULL",
    )
    op.add_column("run", sa.Column("requested_by", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "requested_by")
    op.drop_constraint("fk_run_group_slug_run_group", "run", type_="foreignkey")
    op.drop_index("ix_run_group_slug", "run")
    op.drop_column("run", "group_slug")
    op.drop_table("run_group")
