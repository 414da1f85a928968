"""labels, sentences and the main metric in snapshots"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "c41b7e9d2a60"
down_revision: str | None = "6b92e5d0f3a8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_MAIN_METRICS = ("cpu_us_per_request", "sustained_rps", "throughput_rps")


def upgrade() -> None:
    _change_comparisons(_add_labels)


def downgrade() -> None:
    _change_comparisons(_remove_labels)


def _add_labels(comparison: dict[str, Any]) -> None:
    cells = comparison["cells"]
    names = [cell["framework"]["name"] for cell in cells]
    for cell, name in zip(cells, names, strict=True):
        cell["label"] = name if names.count(name) == 1 else f"{name}, {cell['run_slug']}"
    comparison["sentences"] = {}
    comparison["metric"] = max(
        _MAIN_METRICS, key=lambda metric: sum(metric in cell["summary"] for cell in cells)
    )


def _remove_labels(comparison: dict[str, Any]) -> None:
    for cell in comparison["cells"]:
        cell.pop("label", None)
    comparison.pop("sentences", None)
    comparison.pop("metric", None)


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
