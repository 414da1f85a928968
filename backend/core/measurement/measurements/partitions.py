"""SQL for the partitions of the table `sample`, one for each month. Never commits.

The functions of the database that create and drop partitions run with the rights of the tables'
owner. Only the dispatcher may call them (ADR 0048).
"""

from datetime import date

from sqlalchemy import Date, Select, bindparam, func, select, text
from sqlalchemy.orm import Session

# Partitions exist before their month begins, also if the dispatcher did not run for weeks.
MONTHS_AHEAD = 2
# A partition needs locks that wait for running statements, and all others wait behind it.
_LOCK_TIMEOUT_MS = 500


def first_of_month(day: date, months_later: int = 0) -> date:
    """Return the first day of the month of a day, or of a later month."""
    months = day.year * 12 + day.month - 1 + months_later
    return date(months // 12, months % 12 + 1, 1)


def create_coming_partitions(session: Session, today: date) -> list[date]:
    """Create what is missing of the partitions of this month and the next months.

    Returns:
        The first days of their months.

    Raises:
        OperationalError: other statements use the table. `db.is_lock_timeout` recognises this.
    """
    months = [first_of_month(today, ahead) for ahead in range(MONTHS_AHEAD + 1)]
    limit_lock_wait(session)
    return [month for month in months if session.scalar(_call("create_sample_partition", month))]


def drop_partition(session: Session, month: date) -> bool:
    """Drop the partition of a past month, if all of its seconds belong to runs without seconds.

    Returns:
        Whether it was dropped.

    Raises:
        OperationalError: other statements use the table. `db.is_lock_timeout` recognises this.
    """
    limit_lock_wait(session)
    return bool(session.scalar(_call("drop_sample_partition", month)))


def list_partitions(session: Session) -> list[date]:
    """Return the first days of the months that have a partition, oldest first."""
    names = text(
        "SELECT to_date(substr(relname, 8), 'YYYY_MM') FROM pg_inherits "
        "JOIN pg_class ON pg_class.oid = inhrelid "
        "WHERE inhparent = 'sample'::regclass AND relname <> 'sample_default' ORDER BY 1"
    )
    return list(session.scalars(names.columns(month=Date)))


def limit_lock_wait(session: Session) -> None:
    """Let the statements of this transaction fail that wait for a lock for half a second."""
    session.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT_MS}ms'"))


def _call(function: str, month: date) -> Select[bool]:
    return select(getattr(func, function)(bindparam(None, month, Date)))
