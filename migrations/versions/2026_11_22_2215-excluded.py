"""rename `barred` to `excluded` and `standing` to `comparability`"""

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "b6d2f0a417c8"
down_revision: str | None = "a94d37e1c52f"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_KEYS = {
    "barred": "excluded",
    "bars_ranking": "excludes_from_ranking",
    "standing": "comparability",
}
_INDEX = ("ix_cell_summary_standings", "ix_cell_summary_latest")


def upgrade() -> None:
    op.alter_column("cell_summary", "barred", new_column_name="excluded")
    op.execute(f"ALTER INDEX {_INDEX[0]} RENAME TO {_INDEX[1]}")
    _rename_in_documents(_KEYS, ("barred", "excluded"))


def downgrade() -> None:
    _rename_in_documents({new: old for old, new in _KEYS.items()}, ("excluded", "barred"))
    op.execute(f"ALTER INDEX {_INDEX[1]} RENAME TO {_INDEX[0]}")
    op.alter_column("cell_summary", "excluded", new_column_name="barred")


def _rename_in_documents(keys: dict[str, str], value: tuple[str, str]) -> None:
    """Rename keys in snapshots. Their hash stays: it is part of their link."""
    connection = op.get_bind()
    for digest in connection.scalars(sa.text("SELECT hash FROM snapshot")).all():
        document = connection.scalar(
            sa.text("SELECT document FROM snapshot WHERE hash = :hash"), {"hash": digest}
        )
        renamed = json.dumps(
            _rename(json.loads(document), keys, value),
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        connection.execute(
            sa.text("UPDATE snapshot SET document = :document WHERE hash = :hash"),
            {"document": renamed, "hash": digest},
        )


def _rename(content: Any, keys: dict[str, str], value: tuple[str, str]) -> Any:
    if isinstance(content, list):
        return [_rename(item, keys, value) for item in content]
    if not isinstance(content, dict):
        return content
    renamed = {keys.get(key, key): _rename(item, keys, value) for key, item in content.items()}
    for key in ("standing", "comparability"):
        if renamed.get(key) == value[0]:
            renamed[key] = value[1]
    return renamed
