# ruff: noqa: S608
"""SQL for database roles and for the credentials of bench hosts. Never commits."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Connection, func, select, text
from sqlalchemy.orm import Session

from backend.core.models import Host, HostCredential

INSUFFICIENT_PRIVILEGE = "42501"
# Names of the policies of `accepted_values`.
CHECK_PREFIX = "tacho_valid_"
# No right to create roles, or no group role (undefined_object).
NO_ROLES = frozenset({INSUFFICIENT_PRIVILEGE, "42704"})

# Another installation on the same server may create the role at the same time.
_CREATE_GROUP = """
DO $$ BEGIN
    CREATE ROLE {name} NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$
"""
# The digest of the granted rights is the comment of a function that policies use.
_MARKED = "current_bench_host()"
# A column that a policy reads can be neither dropped nor changed.
_DROP_CHECKS = f"""
DO $$ DECLARE found record; BEGIN
    FOR found IN SELECT policyname, tablename FROM pg_policies
    WHERE schemaname = 'public' AND starts_with(policyname, '{CHECK_PREFIX}') LOOP
        EXECUTE format('DROP POLICY %I ON %I', found.policyname, found.tablename);
        COMMENT ON FUNCTION {_MARKED} IS NULL;
    END LOOP;
END $$
"""


def list_missing_roles(connection: Connection, names: Collection[str]) -> list[str]:
    """Return those of the names that no role of the server has."""
    known = set(connection.scalars(text("SELECT rolname FROM pg_roles")))
    return [name for name in names if name not in known]


def create_group_role(connection: Connection, name: str) -> None:
    """Create a role that cannot log in."""
    connection.execute(text(_CREATE_GROUP.format(name=name)))


def find_user(connection: Connection) -> str:
    """Return the name of the role that this connection uses."""
    return str(connection.scalar(text("SELECT current_user")))


def forbid_temporary_tables(connection: Connection) -> None:
    """Withdraw the right to make temporary tables from all roles but the database's owner."""
    query = text("SELECT quote_ident(current_database())")
    database = connection.scalar(query)
    # A user who does not own the database gets a warning, and nothing changes.
    connection.execute(text(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC"))


def is_superuser(connection: Connection) -> bool:
    """Return whether the role of this connection is a superuser."""
    query = text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    return bool(connection.scalar(query))


def has_open_functions(connection: Connection, pattern: str) -> bool:
    """Return whether every role may call a function of PostgreSQL with such a name."""
    query = text(
        "SELECT EXISTS (SELECT FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace "
        "AND proname ~ :pattern AND has_function_privilege('public', oid, 'EXECUTE'))"
    )
    return bool(connection.scalar(query, {"pattern": pattern}))


def list_tables(connection: Connection) -> Sequence[str]:
    """Return the names of all tables. A partition belongs to its table and is left out."""
    query = text(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "AND relkind IN ('r', 'p') AND NOT relispartition"
    )
    return connection.scalars(query).all()


def execute_as_it_is(connection: Connection, statement: str) -> int:
    """Execute a statement in which colons and percent signs have no meaning; return its rows."""
    plain = connection.execution_options(no_parameters=True)
    return plain.exec_driver_sql(statement).rowcount


def drop_checks(connection: Connection) -> None:
    """Drop the checks of what bench hosts write, so that a migration can change the columns.

    The next step of `tacho migrate` creates them again.
    """
    connection.execute(text(_DROP_CHECKS))


def find_granted(connection: Connection) -> str | None:
    """Return the digest of the rights that were granted last."""
    query = text(f"SELECT obj_description('{_MARKED}'::regprocedure, 'pg_proc')")
    found: str | None = connection.scalar(query)
    return found


def note_granted(connection: Connection, digest: str) -> None:
    """Store the digest of the granted rights."""
    connection.execute(text(f"COMMENT ON FUNCTION {_MARKED} IS '{digest}'"))


def revoke_lost(connection: Connection) -> None:
    """Revoke credentials whose role is not on this server, as after a restore on another one."""
    connection.execute(
        text(
            "UPDATE host_credential SET host_id = NULL WHERE host_id IS NOT NULL "
            "AND username NOT IN (SELECT rolname FROM pg_roles)"
        )
    )


def make_verifier(session: Session, password: str, username: str) -> str:
    """Return what PostgreSQL stores of a password, so that no statement contains it."""
    driver = session.connection().connection.driver_connection
    assert driver is not None
    encrypted: bytes = driver.pgconn.encrypt_password(
        password.encode(), username.encode(), b"scram-sha-256"
    )
    return encrypted.decode()


def create_login_role(session: Session, username: str, verifier: str) -> None:
    """Create a role that is a member of the group of bench hosts."""
    session.execute(select(func.create_host_role(username, verifier)))


def lock_login_role(session: Session, username: str) -> None:
    """Prevent new connections of a revoked role and end its connections."""
    session.execute(select(func.lock_host_role(username)))


def drop_login_role(session: Session, username: str) -> None:
    """End the connections of a revoked role, and drop it and its credential."""
    session.execute(select(func.drop_host_role(username)))


def end_long_transactions(session: Session, seconds: int) -> int:
    """End the connections of bench hosts whose transaction takes longer; return their number."""
    ended: int = session.scalars(select(func.end_long_transactions_of_hosts(seconds))).one()
    return ended


def find_credential(session: Session, host_id: UUID) -> HostCredential | None:
    """Return the credential of a host; None if it has none."""
    query = select(HostCredential).where(HostCredential.host_id == host_id)
    return session.scalars(query).one_or_none()


def list_valid(session: Session) -> Sequence[tuple[HostCredential, str]]:
    """Return all credentials that are not revoked, each with its host's queue."""
    query = select(HostCredential, Host.queue).join(Host, Host.id == HostCredential.host_id)
    return [(credential, queue) for credential, queue in session.execute(query)]


def list_revoked(session: Session) -> Sequence[str]:
    """Return the user names of revoked credentials."""
    query = select(HostCredential.username).where(HostCredential.host_id.is_(None))
    return session.scalars(query).all()
