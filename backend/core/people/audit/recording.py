"""Record who changes what. Sessions with an actor write an entry for each change by themselves.

Entries are written in the transaction of the change, so there is never one without the other.
Statements that change rows without loading them, such as an INSERT with ON CONFLICT, call `record`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic_core import to_jsonable_python
from sqlalchemy import ColumnElement, event, insert, inspect, select
from sqlalchemy.orm import Session, UOWTransaction
from sqlalchemy.orm.state import InstanceState

from backend.core.db import Base, new_id
from backend.core.documents import JsonObject
from backend.core.models import AuditEvent, User
from backend.core.people.access.actor import TACHO, Actor
from backend.core.people.audit.tables import AUDITED, Act, AuditedTable

_ACTOR = "actor"
_PENDING = "pending audit entries"
_CHANGED = "changed"


@dataclass(frozen=True)
class _PendingEntry:
    """An entry of a flush that has not ended. A new row has its id and defaults only afterwards."""

    row: Base
    table: AuditedTable
    act: Act
    before: JsonObject | None = None
    after: JsonObject | None = None


def set_actor(session: Session, actor: Actor) -> None:
    """Name who makes the changes of this session. From now on they are recorded."""
    session.info[_ACTOR] = actor


def get_actor(session: Session) -> Actor:
    """Return who makes the changes of this session; Tacho itself if nobody was named."""
    actor: Actor = session.info.get(_ACTOR, TACHO)
    return actor


@contextmanager
def act_as_tacho(session: Session) -> Iterator[None]:
    """Record what Tacho does by itself. A session that has an actor keeps it."""
    if _ACTOR in session.info:
        yield
        return
    set_actor(session, TACHO)
    try:
        yield
    finally:
        del session.info[_ACTOR]


def record(
    session: Session,
    action: str,
    subject: tuple[str, str],
    *,
    workspace_id: UUID | None,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """Write an entry for a change that the session cannot see, if the session has an actor.

    Args:
        subject: type and id.
        workspace_id: None for a change of the installation.
    """
    if _ACTOR not in session.info:
        return
    _write(
        session,
        [
            _entry(
                session,
                action,
                subject,
                workspace_id=workspace_id,
                before=None if before is None else dict(before),
                after=None if after is None else dict(after),
            )
        ],
    )


@event.listens_for(Session, "before_flush")
def _collect(session: Session, _context: UOWTransaction, _instances: object) -> None:
    """Note the changes of a flush, while the session still has the values before it."""
    if _ACTOR not in session.info:
        return
    pending = session.info.setdefault(_PENDING, [])
    for row in session.new:
        pending.extend(_collect_row(row, Act.CREATED))
    for row in session.dirty:
        pending.extend(_collect_row(row, Act.CHANGED))
    for row in session.deleted:
        pending.extend(_collect_row(row, Act.DELETED))


@event.listens_for(Session, "after_flush")
def _write_collected(session: Session, _context: UOWTransaction) -> None:
    """Write the entries, now that new rows have their ids."""
    pending: list[_PendingEntry] = session.info.pop(_PENDING, [])
    if pending:
        _write(session, [_complete(session, entry) for entry in pending])


@event.listens_for(Session, "after_soft_rollback")
def _forget(session: Session, _previous: object) -> None:
    """Forget the entries of a flush that failed."""
    session.info.pop(_PENDING, None)


def _collect_row(row: Base, act: Act) -> Iterator[_PendingEntry]:
    table = AUDITED.get(type(row))
    if table is None or act not in table.acts:
        return
    state = inspect(row)
    if act is Act.CHANGED:
        before, after = _find_changes(state, table)
        if before or after:
            names = _read_all(state, table, table.names)
            yield _PendingEntry(row, table, act, names | before, names | after)
    elif act is Act.DELETED:
        yield _PendingEntry(row, table, act, before=_read_row(state, table))
    else:
        yield _PendingEntry(row, table, act)


def _find_changes(state: InstanceState[Any], table: AuditedTable) -> tuple[JsonObject, JsonObject]:
    """Return the changed values before and after."""
    before, after = JsonObject(), JsonObject()
    for column in (*table.names, *table.values):
        history = state.attrs[column].history
        if not history.has_changes():
            continue
        name, old = _read(table, column, next(iter(history.deleted or ()), None))
        _, new = _read(table, column, next(iter(history.added or ()), None))
        if old != new:
            before[name], after[name] = old, new
    for column in table.secrets:
        if state.attrs[column].history.has_changes():
            after[column] = _CHANGED
    return before, after


def _read_row(state: InstanceState[Any], table: AuditedTable) -> JsonObject:
    return _read_all(state, table, (*table.names, *table.values))


def _read_all(
    state: InstanceState[Any], table: AuditedTable, columns: tuple[str, ...]
) -> JsonObject:
    """Return the values of a row that are known and not null."""
    read = (_read(table, column, state.attrs[column].value) for column in columns)
    return {name: value for name, value in read if value is not None}


def _read(table: AuditedTable, column: str, value: object) -> tuple[str, object]:
    name, read = table.read(column, value)
    # A function of PostgreSQL, such as now(): the time of the entry is the value.
    return name, "now" if isinstance(read, ColumnElement) else to_jsonable_python(read)


def _complete(session: Session, entry: _PendingEntry) -> JsonObject:
    table, row, before, after = entry.table, entry.row, entry.before, entry.after
    if entry.act is Act.CREATED:
        after = _read_row(inspect(row), table)
    if table.user is not None and (user_id := getattr(row, table.user)) is not None:
        email = session.connection().scalar(select(User.email).where(User.id == user_id))
        before, after = (
            None if values is None else {"user": email} | values for values in (before, after)
        )
    return _entry(
        session,
        table.name_action(entry.act),
        (table.subject, str(getattr(row, table.key))),
        workspace_id=table.find_workspace(row),
        before=before,
        after=after,
    )


def _entry(
    session: Session,
    action: str,
    subject: tuple[str, str],
    *,
    workspace_id: UUID | None,
    before: JsonObject | None,
    after: JsonObject | None,
) -> JsonObject:
    actor = get_actor(session)
    return {
        "id": new_id(),
        "workspace_id": workspace_id,
        "user_id": actor.user_id,
        "token_id": actor.token_id,
        "actor": actor.label,
        "address": actor.address,
        "action": action,
        "subject_type": subject[0],
        "subject_id": subject[1],
        "before": before,
        "after": after,
    }


def _write(session: Session, entries: list[JsonObject]) -> None:
    # Not through the session, which is flushing.
    session.connection().execute(insert(AuditEvent), entries)
