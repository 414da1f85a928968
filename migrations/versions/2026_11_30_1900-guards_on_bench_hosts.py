"""guards that bench hosts run, and the files of their versions"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "b30d8f72a4c6"
down_revision: str | None = "e17c5f3b8a62"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_NOW = sa.text("now()")
_TIME = sa.DateTime(timezone=True)
_STATUSES = "('queued', 'running', 'finished', 'failed', 'cancelled')"


def upgrade() -> None:
    op.create_table(
        "guard_source",
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("used_at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_guard_source_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("workspace_id", "digest", name=op.f("pk_guard_source")),
    )
    # The content is compressed already.
    op.execute("ALTER TABLE guard_source ALTER COLUMN content SET STORAGE EXTERNAL")
    document = postgresql.JSONB(astext_type=sa.Text())
    op.create_table(
        "guard_request",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("document", document, nullable=False),
        sa.Column("base_source", sa.String(), nullable=False),
        sa.Column("head_source", sa.String(), nullable=False),
        sa.Column("progress", document, server_default="[]", nullable=False),
        sa.Column("doing", sa.String(), server_default="", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("report", document, nullable=True),
        sa.Column("failure", document, nullable=True),
        sa.Column("slug", sa.String(), nullable=True),
        sa.Column("requested_by", sa.String(), nullable=False),
        sa.Column("cancel_requested_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("finished_at", _TIME, nullable=True),
        sa.CheckConstraint(f"status IN {_STATUSES}", name=op.f("ck_guard_request_guardstatus")),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_guard_request_host_id_host")
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
            name=op.f("fk_guard_request_workspace_id_workspace"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guard_request")),
    )
    op.create_index(
        "ix_guard_request_open",
        "guard_request",
        ["host_id", "created_at"],
        postgresql_where=sa.text("status IN ('queued', 'running')"),
    )
    op.create_index(
        "ix_guard_request_workspace_id_created_at", "guard_request", ["workspace_id", "created_at"]
    )


def downgrade() -> None:
    op.drop_table("guard_request")
    op.drop_table("guard_source")
