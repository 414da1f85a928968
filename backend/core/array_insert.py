"""Insert many rows in one statement."""

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from backend.core.db import Base


def insert_rows(session: Session, table: type[Base], rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows, each with all columns, in one statement with an array for each column.

    COPY would be faster, but PostgreSQL does not allow it with row-level security. The table must
    have no columns that are arrays themselves: `unnest` would take them apart.
    """
    connection = session.connection()
    columns = table.__table__.columns
    kinds = [column.type.dialect_impl(connection.dialect) for column in columns]
    processors = [kind.bind_processor(connection.dialect) for kind in kinds]
    values = [
        [process(row[name]) if process else row[name] for row in rows]
        for name, process in zip(columns.keys(), processors, strict=True)
    ]
    names = ", ".join(columns.keys())
    arrays = ", ".join(f"%s::{kind.compile(connection.dialect)}[]" for kind in kinds)
    # Not by the driver itself, whose errors are not recognized as an outage or a full disk.
    connection.exec_driver_sql(
        f"INSERT INTO {table.__tablename__} ({names}) SELECT * FROM unnest({arrays})",  # noqa: S608
        tuple(values),
    )
