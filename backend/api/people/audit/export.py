"""Exports of the audit log, which are read and sent piece by piece."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from uuid import UUID

from sqlalchemy.orm import Session

from backend.api.people.audit.schemas import AuditEventOut
from backend.api.results.sharing.exported_page import Part
from backend.core.csv_rows import write_csv_row
from backend.core.people.audit import repository
from backend.core.people.audit.repository import AuditFilter

MAX_ENTRIES = 100_000
_PIECE_ENTRIES = 1_000
_COLUMNS = (
    *("at", "actor", "address", "action", "subject_type", "subject_id"),
    *("before", "after", "id"),
)

CSV_EXAMPLE = """at,actor,address,action,subject_type,subject_id,before,after,id
2026-11-23T22:50:00+00:00,ada@example.org,203.0.113.5,run.created,run,01981c2e-4a7b-…,,"{""slug"": …
"""


class AuditSuffix(StrEnum):
    JSON = "json"
    CSV = "csv"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {AuditSuffix.JSON: "application/json", AuditSuffix.CSV: "text/csv"}


@dataclass
class _Position:
    """How far an export is."""

    left: int
    before: tuple[datetime, UUID] | None = None


def list_parts(wanted: AuditFilter, suffix: AuditSuffix, most: int = MAX_ENTRIES) -> Iterator[Part]:
    """Return the pieces of an export in their order, newest entries first.

    Args:
        most: number of entries after which the export ends.
    """
    position = _Position(most)
    is_csv = suffix is AuditSuffix.CSV
    yield lambda _: write_csv_row(_COLUMNS) if is_csv else '{"items":['
    while position.left > 0:
        # The caller reads each piece before it takes the next one.
        yield partial(_write_piece, wanted=wanted, position=position, is_csv=is_csv)
    if not is_csv:
        yield lambda _: "\n]}\n"


def _write_piece(
    session: Session, *, wanted: AuditFilter, position: _Position, is_csv: bool
) -> str:
    limit = min(_PIECE_ENTRIES, position.left)
    entries = repository.list_events(session, wanted, position.before, limit)
    is_first = position.before is None
    position.left = position.left - limit if len(entries) == limit else 0
    if not entries:
        return ""
    position.before = (entries[-1].at, entries[-1].id)
    shown = [AuditEventOut.of(entry) for entry in entries]
    if is_csv:
        return "".join(write_csv_row(_list_cells(entry)) for entry in shown)
    return ("\n" if is_first else ",\n") + ",\n".join(entry.model_dump_json() for entry in shown)


def _list_cells(entry: AuditEventOut) -> list[object]:
    values = entry.model_dump(mode="json")
    return [_write_value(values[column]) for column in _COLUMNS]


def _write_value(value: object) -> object:
    return value if value is None or isinstance(value, str) else json.dumps(value)
