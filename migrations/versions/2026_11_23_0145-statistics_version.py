"""the version of the statistics in snapshots, which held a hash of their source code"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "8e60b3d4f175"
down_revision: str | None = "d3a81f60b9e4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    _change_comparisons(_add_version)


def downgrade() -> None:
    _change_comparisons(_remove_version)


def _add_version(comparison: dict[str, Any]) -> None:
    statistics = comparison.pop("statistics", "")
    comparison["statistics_version"] = int(statistics) if len(statistics) in range(1, 9) else 0


def _remove_version(comparison: dict[str, Any]) -> None:
    comparison["statistics"] = str(comparison.pop("statistics_version"))


def _change_comparisons(change: Callable[[dict[str, Any]], None]) -> None:
    """Change the comparison in each snapshot. Their hash stays: it is part of their link."""
    connection = op.get_bind()
    for digest in connection.scalars(sa.text("SELECT hash FROM snapshot")).all():
        text = connection.scalar(
            sa.text("SELECT document FROM snapshot WHERE hash = :hash"), {"hash": digest}
        )
        document = json.loads(text)
        change(document["comparison"])
        changed = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        connection.execute(
            sa.text("UPDATE snapshot SET document = :document WHERE hash = :hash"),
            {"document": changed, "hash": digest},
        )
