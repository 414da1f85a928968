"""backing services, which were called support

The digest of a host's fingerprint covers the name of the role, so that it changes with the name.
Recompute it, so that new results of a host stay comparable with earlier ones.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "b7e3f1a86c42"
down_revision: str | None = "b6d2f0a417c8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_OLD, _NEW = "support", "backing"
# Table and column of each digest of a fingerprint that is not in a document.
_HOST_DIGESTS = (
    ("host", "fingerprint_digest"),
    ("cell_summary", "host_digest"),
    ("change", "host_digest"),
)
_SERIES = (
    "framework",
    "scenario",
    "profile",
    "parameters",
    "metric",
    "runtime",
    "host_id",
    "host_digest",
    "harness_digest",
    "scenario_digest",
)


def upgrade() -> None:
    op.alter_column("sample", "cpu_support_seconds", new_column_name="cpu_backing_seconds")
    _replace("framework", "manifest", '"support": ', '"backing_services": ')
    _replace("scenario", "manifest", '"support": [', '"backing_services": [')
    _replace("scenario", "manifest", '"support": "', '"backing": "')
    _rename_role(_OLD, _NEW)
    _replace("trial", "environment", "and support share", "and backing services share")


def downgrade() -> None:
    _replace("trial", "environment", "and backing services share", "and support share")
    _rename_role(_NEW, _OLD)
    _replace("scenario", "manifest", '"backing": "', '"support": "')
    _replace("scenario", "manifest", '"backing_services": [', '"support": [')
    _replace("framework", "manifest", '"backing_services": ', '"support": ')
    op.alter_column("sample", "cpu_backing_seconds", new_column_name="cpu_support_seconds")


def _replace(table: str, column: str, old: str, new: str) -> None:
    """Replace a piece of the text of a JSON document; in text, a space follows each key's colon."""
    documents = sa.table(table, sa.column(column))
    text = sa.cast(documents.c[column], sa.Text)
    replaced = sa.func.replace(text, old, new).cast(JSONB)
    op.execute(
        sa.update(documents).where(text.contains(old, autoescape=True)).values({column: replaced})
    )


def _rename_role(old: str, new: str) -> None:
    digests = _map_digests(old, new)
    old_series = _read_series()
    _replace("host", "fingerprint", f'"{old}": ', f'"{new}": ')
    _replace("trial", "environment", f'"{old}": ', f'"{new}": ')
    for old_digest, new_digest in digests.items():
        for table, column in _HOST_DIGESTS:
            rows = sa.table(table, sa.column(column))
            op.execute(
                sa.update(rows).where(rows.c[column] == old_digest).values({column: new_digest})
            )
        _replace(
            "trial",
            "environment",
            f'"host_digest": "{old_digest}"',
            f'"host_digest": "{new_digest}"',
        )
    _update_series_digests(old_series)


def _map_digests(old: str, new: str) -> dict[str, str]:
    """Return the new digest of each known fingerprint, by its old digest."""
    found = {}
    rows = op.get_bind().execute(
        sa.text(
            """
            SELECT fingerprint_digest, fingerprint FROM host
            UNION SELECT environment ->> 'host_digest', environment -> 'host' FROM trial
            """
        )
    )
    for digest, fingerprint in rows:
        if not fingerprint or old not in fingerprint.get("cpus", {}):
            continue
        cpus = {new if role == old else role: cpus for role, cpus in fingerprint["cpus"].items()}
        # Digests of other fingerprints, such as of made-up hosts, do not change.
        if _digest_host(fingerprint) == digest:
            found[digest] = _digest_host({**fingerprint, "cpus": cpus})
    return found


def _digest_host(fingerprint: Mapping[str, Any]) -> str:
    """Return what `worker.bench.fingerprint.digest` returned at the time of this migration."""
    document = {**fingerprint, "memory_bytes": round(fingerprint.get("memory_bytes", 0) / 1024**3)}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read_series() -> dict[Any, str]:
    """Return the ids of changes whose digest is that of their series, with the digest."""
    columns = [sa.column(name) for name in ("id", "series_digest", *_SERIES)]
    rows = op.get_bind().execute(sa.select(*columns).select_from(sa.table("change")))
    return {
        row["id"]: row["series_digest"]
        for row in rows.mappings()
        if _digest_series(row) == row["series_digest"]
    }


def _update_series_digests(known: Mapping[Any, str]) -> None:
    columns = [sa.column(name) for name in ("id", *_SERIES)]
    changes = sa.table("change", sa.column("id"), sa.column("series_digest"))
    rows = op.get_bind().execute(sa.select(*columns).select_from(sa.table("change")))
    for row in rows.mappings().all():
        digest = _digest_series(row)
        if known.get(row["id"], digest) != digest:
            op.execute(
                sa.update(changes).where(changes.c.id == row["id"]).values(series_digest=digest)
            )


def _digest_series(row: Mapping[str, Any]) -> str:
    """Return what `SeriesKey.digest` returned at the time of this migration."""
    document = json.dumps({name: row[name] for name in _SERIES}, sort_keys=True, default=str)
    return hashlib.sha256(document.encode()).hexdigest()
