"""The roles of the parts in PostgreSQL. None of them is a superuser."""

from collections.abc import Mapping

import psycopg
from psycopg import sql

from backend.core.operations.bench_hosts.grants import (
    API_ROLE,
    DISPATCHER_ROLE,
    HOST_ROLE,
    restrict_functions,
)

OWNER_ROLE = "tacho_owner"
# Part -> its role, and what else the role may do. The owner of the tables migrates them.
PART_ROLES = {
    "owner": (OWNER_ROLE, "CREATEROLE"),
    "api": (API_ROLE, "NOCREATEROLE"),
    "dispatcher": (DISPATCHER_ROLE, "NOCREATEROLE"),
}

# The owner of the tables may change after an upgrade from a version without roles.
_GIVE_TABLES = """
DO $$ DECLARE found record; BEGIN
    FOR found IN SELECT c.oid::regclass AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
    AND c.relowner <> '{owner}'::regrole LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO {owner}', found.name);
    END LOOP;
    FOR found IN SELECT p.oid::regprocedure AS name FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proowner <> '{owner}'::regrole LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO {owner}', found.name);
    END LOOP;
END $$
"""


def create_part_roles(connection: psycopg.Connection, passwords: Mapping[str, str]) -> None:
    """Create the roles, or correct them, and make the owner that of the database and its tables.

    No other role may take advisory locks or make large objects then.

    Args:
        connection: to the database of Tacho, as a superuser, without a transaction.
        passwords: by part. A part without one has no password.
    """
    known = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
    if HOST_ROLE not in known:
        connection.execute(f"CREATE ROLE {HOST_ROLE} NOLOGIN")
    for part, (role, right) in PART_ROLES.items():
        if role not in known:
            connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(role)))
        connection.execute(
            sql.SQL("ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEDB {} PASSWORD {}").format(
                sql.Identifier(role),
                sql.SQL(right),
                sql.Literal(_encrypt(connection, role, passwords.get(part))),
            )
        )
    connection.execute(f"GRANT {HOST_ROLE} TO {OWNER_ROLE} WITH ADMIN OPTION")
    connection.execute(
        sql.SQL("ALTER DATABASE {} OWNER TO {}").format(
            sql.Identifier(connection.info.dbname), sql.Identifier(OWNER_ROLE)
        )
    )
    connection.execute(_GIVE_TABLES.format(owner=OWNER_ROLE))
    connection.execute(restrict_functions([role for role, _ in PART_ROLES.values()]))


def _encrypt(connection: psycopg.Connection, role: str, password: str | None) -> str | None:
    if password is None:
        return None
    encrypted = connection.pgconn.encrypt_password(
        password.encode(), role.encode(), b"scram-sha-256"
    )
    return encrypted.decode()
