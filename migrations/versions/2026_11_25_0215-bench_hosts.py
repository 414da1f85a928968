"""bench hosts join, pause and are revoked"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c3d94f7a1e60"
down_revision: str | None = "f6a81d3b57c2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_PURPOSES = "'first_operator', 'invitation', 'password_reset'"


def upgrade() -> None:
    op.add_column("host", sa.Column("queue", sa.String()))
    op.execute("UPDATE host SET queue = name")
    op.alter_column("host", "queue", nullable=False)
    op.create_unique_constraint(op.f("uq_host_queue"), "host", ["queue"])
    for name in ("joined_at", "paused_at", "revoked_at"):
        op.add_column("host", sa.Column(name, sa.DateTime(timezone=True)))
    op.add_column("one_time_link", sa.Column("host_name", sa.String()))
    _replace_purposes(f"{_PURPOSES}, 'bench_host'")


def downgrade() -> None:
    op.execute("DELETE FROM one_time_link WHERE purpose = 'bench_host'")
    _replace_purposes(_PURPOSES)
    op.drop_column("one_time_link", "host_name")
    # Older versions find a host by the name that its worker has in TACHO_BENCH_HOST.
    op.drop_constraint(op.f("uq_host_name"), "host", type_="unique")
    op.execute("UPDATE host SET name = queue")
    op.create_unique_constraint(op.f("uq_host_name"), "host", ["name"])
    for name in ("revoked_at", "paused_at", "joined_at", "queue"):
        op.drop_column("host", name)


def _replace_purposes(purposes: str) -> None:
    op.drop_constraint("linkpurpose", "one_time_link", type_="check")
    op.create_check_constraint("linkpurpose", "one_time_link", f"purpose IN ({purposes})")
