"""Create the group roles of the database and give them their rights, after each migration."""

import logging

from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError

from backend.core.db import make_engine
from backend.core.operations.bench_hosts import repository
from backend.core.operations.bench_hosts.accepted_values import list_checks, list_repairs
from backend.core.operations.bench_hosts.grants import (
    API_ROLE,
    DISPATCHER_ROLE,
    GROUP_ROLES,
    RESTRICTED,
    digest_of,
    list_statements,
    restrict_functions,
)

_log = logging.getLogger(__name__)


def set_up_roles(database_url: str) -> str:
    """Create what is missing of the group roles and their rights; changes nothing if all is there.

    Returns an empty text, or why bench hosts cannot get users of their own, or why these have more
    rights than they need, and the fix. The installation works without it.
    """
    engine = make_engine(database_url)
    try:
        with engine.begin() as connection:
            advice = _create_missing(connection)
            if not advice:
                _grant(connection)
                repository.revoke_lost(connection)
                advice = advise_on_locks(connection)
    finally:
        engine.dispose()
    return advice


def create_group_roles(database_url: str) -> str:
    """Create what is missing of the group roles, which a backup needs; return as `set_up_roles`."""
    engine = make_engine(database_url)
    try:
        with engine.begin() as connection:
            return _create_missing(connection)
    finally:
        engine.dispose()


def _create_missing(connection: Connection) -> str:
    missing = repository.list_missing_roles(connection, GROUP_ROLES)
    for role in missing:
        if not _create(connection, role):
            return _explain(connection, missing)
    return ""


def _create(connection: Connection, role: str) -> bool:
    """Create a group role; return False if that is not allowed."""
    try:
        with connection.begin_nested():
            repository.create_group_role(connection, role)
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != repository.INSUFFICIENT_PRIVILEGE:
            raise
        return False
    return True


def _grant(connection: Connection) -> None:
    repository.forbid_temporary_tables(connection)
    # If the owner is not a superuser, an administrator does this: `part_roles` or the guide.
    if repository.is_superuser(connection):
        connection.execute(text(restrict_functions((API_ROLE, DISPATCHER_ROLE))))
    tables = frozenset(repository.list_tables(connection))
    statements = [*list_statements(tables), *list_checks()]
    digest = digest_of(statements)
    if repository.find_granted(connection) == digest:
        return
    for statement in statements:
        repository.execute_as_it_is(connection, statement)
    for statement in list_repairs():
        if replaced := repository.execute_as_it_is(connection, statement):
            _log.warning("values of bench hosts that were not valid were replaced: %d", replaced)
    repository.note_granted(connection, digest)


def advise_on_locks(connection: Connection) -> str:
    """Return what a superuser has to run if bench hosts may call functions that they must not."""
    if not repository.has_open_functions(connection, RESTRICTED):
        return ""
    user = repository.find_user(connection)
    statement = restrict_functions((user, API_ROLE, DISPATCHER_ROLE))
    return (
        "Users of bench hosts may take every advisory lock of the database, store large objects, "
        f"and write messages into its log, because the user {user!r} is not a superuser. A server "
        "that a provider manages does not let you change that. On your own server, run this as a "
        f"superuser, in this database:\n{statement}"
    )


def _explain(connection: Connection, missing: list[str]) -> str:
    user = repository.find_user(connection)
    created = " ".join(f"CREATE ROLE {role} NOLOGIN;" for role in missing)
    granted = f'GRANT tacho_host TO "{user}" WITH ADMIN OPTION; ALTER ROLE "{user}" CREATEROLE;'
    return (
        f"Bench hosts cannot get database users of their own, because the user {user!r} may not "
        f"create roles. To change that, run as an administrator of PostgreSQL: {created} "
        f"{granted} Then try again."
    )
