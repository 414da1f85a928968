"""Insert many rows in one statement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from operator import itemgetter
from struct import Struct
from typing import Any

import orjson
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types.json import Jsonb
from sqlalchemy import Dialect, Float, FromClause, Integer, LargeBinary
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from backend.core.db import Base

# An array as PostgreSQL sends and receives it: number of dimensions, whether it may have nulls, id
# of the type, length and first index. Each element has its length, -1 for null, and its bytes.
_HEADER = Struct(">iiIii")
_SIZE = Struct(">i")
_FLOAT = Struct(">id")
_INTEGER = Struct(">iq")
_NULL = _SIZE.pack(-1)


@dataclass(frozen=True)
class _Array:
    """The values of a column in the binary format of PostgreSQL, of the type `kind`."""

    of_column: str
    kind: str
    content: bytes


class _ArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: _Array) -> bytes:
        return obj.content


Rows = Sequence[Mapping[str, object]]


def insert_rows(session: Session, rows: Mapping[type[Base], Rows]) -> None:
    """Insert rows of tables, each with all columns, in one statement.

    The statement gets an array for each column. A float that is not finite becomes NULL. COPY would
    be faster, but PostgreSQL does not allow it with row-level security. JSON takes PostgreSQL twice
    the time of the whole statement, and the driver writes arrays ten times as slowly as this
    module.
    """
    connection = session.connection()
    arrays = {
        table.__table__: _make_arrays(table.__table__, own, connection.dialect)
        for table, own in rows.items()
        if own
    }
    if not arrays:
        return
    *others, last = [_describe_insert(table, own) for table, own in arrays.items()]
    begun = [f"insert_{number} AS ({insert})" for number, insert in enumerate(others)]
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.adapters.register_dumper(_Array, _ArrayDumper)
    # Not by the driver itself, whose errors are not recognized as an outage or a full disk.
    connection.exec_driver_sql(
        f"WITH {', '.join(begun)} {last}" if begun else last, tuple(chain(*arrays.values()))
    )


def _describe_insert(table: FromClause, arrays: Sequence[_Array]) -> str:
    """Return the statement that inserts arrays, which are its parameters.

    PostgreSQL takes the same element of all arrays. In FROM, it would store each array first.
    """
    selected = ", ".join(f"unnest(%s::{array.kind}[])::{array.of_column}" for array in arrays)
    return f"INSERT INTO {table} ({', '.join(table.columns.keys())}) SELECT {selected}"


def _make_arrays(table: FromClause, rows: Rows, dialect: Dialect) -> list[_Array]:
    contents = zip(*map(itemgetter(*table.columns.keys()), rows), strict=True)
    return [
        _make_array(column.type, values, dialect)
        for column, values in zip(table.columns, contents, strict=True)
    ]


def _make_array(of_type: TypeEngine[Any], values: Sequence[Any], dialect: Dialect) -> _Array:
    """Return the values of a column as an array. PostgreSQL converts texts to the column's type."""
    if isinstance(of_type, Float):
        kind, oid, pack = "float8", 701, _FLOAT.pack
        items = [_NULL if v is None or not isfinite(v) else pack(8, v) for v in values]
    elif isinstance(of_type, Integer):
        kind, oid, pack = "int8", 20, _INTEGER.pack
        items = [_NULL if value is None else pack(8, value) for value in values]
    else:
        kind, oid, pack = "text", 25, _SIZE.pack
        if isinstance(of_type, LargeBinary):
            kind, oid = "bytea", 17
        else:
            values = _list_texts(of_type, values, dialect)
        items = [_NULL if value is None else pack(len(value)) + value for value in values]
    content = _HEADER.pack(1, 1, oid, len(items), 1) + b"".join(items)
    return _Array(of_type.compile(dialect), kind, content)


def _list_texts(
    of_type: TypeEngine[Any], values: Sequence[object], dialect: Dialect
) -> list[bytes | None]:
    """Return values as PostgreSQL reads them in text."""
    process = of_type.dialect_impl(dialect).bind_processor(dialect)
    texts, last, text = [], None, None
    for value in values:
        # Most values equal the one before, such as empty documents.
        if value != last:
            last, text = value, _to_text(process(value) if process else value)
        texts.append(text)
    return texts


def _to_text(value: object) -> bytes | None:
    if isinstance(value, Jsonb):
        return orjson.dumps(value.obj)
    return None if value is None else str(value).encode()
