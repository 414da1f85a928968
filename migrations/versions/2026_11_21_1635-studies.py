"""studies, the runs that reproduce them, and what is example data"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "5d21c7e09ab4"
down_revision: str | None = "b8d2e4f61a37"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "study",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("manifest", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("present", sa.Boolean(), server_default="true", nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
        sa.UniqueConstraint("slug", name=op.f("uq_study_slug")),
    )
    op.add_column("run", sa.Column("study", sa.String(), nullable=True))
    op.add_column("run", sa.Column("study_variant", sa.String(), nullable=True))
    op.create_index(op.f("ix_run_study"), "run", ["study"])
    for table in ("run", "host"):
        op.add_column(
            table, sa.Column("example", sa.Boolean(), server_default="false", nullable=False)
        )


def downgrade() -> None:
    for table in ("host", "run"):
        op.drop_column(table, "example")
    op.drop_index(op.f("ix_run_study"), table_name="run")
    op.drop_column("run", "study_variant")
    op.drop_column("run", "study")
    op.drop_table("study")
