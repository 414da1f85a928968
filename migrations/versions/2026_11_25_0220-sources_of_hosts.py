"""sources of hosts"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "a7c5e20b94d1"
down_revision: str | None = "c3d94f7a1e60"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    _create_table("host_framework", sa.Column("unavailable", sa.String(), nullable=True))
    _create_table("host_scenario")
    # Workers register their sources when they start.
    op.drop_column("host", "unavailable")


def downgrade() -> None:
    op.add_column("host", sa.Column("unavailable", JSONB(), nullable=True))
    op.execute(
        """
        UPDATE host SET unavailable = coalesce(
            (SELECT jsonb_object_agg(slug, host_framework.unavailable) FROM host_framework
             WHERE host_id = host.id AND host_framework.unavailable IS NOT NULL),
            '{}'
        )
        """
    )
    op.alter_column("host", "unavailable", nullable=False)
    op.drop_table("host_scenario")
    op.drop_table("host_framework")


def _create_table(name: str, *columns: sa.Column[str]) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=True),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        *columns,
        sa.Column("manifest", JSONB(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column(
            "registered_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=f"fk_{name}_host_id_host", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
        sa.UniqueConstraint(
            "host_id", "slug", name=f"uq_{name}_host_id", postgresql_nulls_not_distinct=True
        ),
    )
