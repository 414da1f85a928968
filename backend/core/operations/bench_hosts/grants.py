"""The rights of each database role, and the SQL that grants them; pure.

Row-level security applies to all roles except the owner of the tables. API and dispatcher see all
rows. A bench host sees the rows that a policy names.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.models import Host, RequestedGuard, Run

HOST_ROLE = "tacho_host"
API_ROLE = "tacho_api"
DISPATCHER_ROLE = "tacho_dispatcher"
GROUP_ROLES = (HOST_ROLE, API_ROLE, DISPATCHER_ROLE)

# The dispatcher signs nobody in.
HIDDEN_FROM_DISPATCHER = frozenset(
    {"access_token", "identity", "membership", "one_time_link", "user", "user_session"}
)
# Migrations write it.
_VERSION_TABLE = "alembic_version"

# The sub-select makes PostgreSQL look the host up once per statement instead of once per row.
_ME = "(SELECT current_bench_host())"
_IS_HOST = f"{_ME} IS NOT NULL"
_OWN_ROW = f"host_id = {_ME}"
_ENDS = "('succeeded', 'failed', 'cancelled')"


@dataclass(frozen=True)
class HostGrant:
    """The rights of a bench host on a table.

    Attributes:
        privileges: as in GRANT, with columns.
        visible: condition of the rows that it sees.
        writable: condition of the rows that it may write; empty for those that it sees.
    """

    privileges: tuple[str, ...]
    visible: str
    writable: str = ""


# The worker waits until a run is finalized, and reads it again then.
_RUN_IN_USE = f"{_OWN_ROW} AND (finalized_at IS NULL OR finalized_at > now() - interval '1 hour')"


def _of_unfinished_trial(table: str) -> str:
    return (
        f"EXISTS (SELECT FROM trial WHERE trial.id = {table}.trial_id "
        f"AND trial.{_OWN_ROW} AND trial.status NOT IN {_ENDS})"
    )


# Of a table that a host fills for its trials under way, and does not read. The sub-select makes
# PostgreSQL look these trials up once per statement instead of once per row.
_MEASUREMENTS = HostGrant(
    ("SELECT (trial_id)", "INSERT"),
    f"trial_id IN (SELECT trial.id FROM trial WHERE trial.{_OWN_ROW} "  # noqa: S608
    f"AND trial.status NOT IN {_ENDS} AND trial.status <> 'queued')",
)


# A table that is missing here is closed to bench hosts. None may have DELETE, TRUNCATE, or UPDATE
# without columns: each of them is also the right to lock the whole table.
HOST_GRANTS: Mapping[str, HostGrant] = {
    "framework": HostGrant(("SELECT",), _IS_HOST),
    "scenario": HostGrant(("SELECT",), _IS_HOST),
    "host": HostGrant(
        (
            f"SELECT ({', '.join(Host.worker_columns)})",
            "UPDATE (runtime, runtime_reason, fingerprint, fingerprint_digest, harness, "
            "service_address, disk_shortage, disks, schema_revision, seen_at)",
        ),
        f"id = {_ME}",
    ),
    # The database sets `registered_at`, so files cannot be changed without a new row.
    "host_framework": HostGrant(
        (
            "SELECT",
            "INSERT (id, host_id, slug, digest, unavailable, manifest, position)",
            "UPDATE (unavailable, position)",
        ),
        _OWN_ROW,
    ),
    "host_scenario": HostGrant(
        (
            "SELECT",
            "INSERT (id, host_id, slug, digest, manifest, position)",
            "UPDATE (position)",
        ),
        _OWN_ROW,
    ),
    "run": HostGrant(
        (f"SELECT ({', '.join(Run.worker_columns)})", "UPDATE (status, started_at, finished_at)"),
        _RUN_IN_USE,
        f"{_OWN_ROW} AND finalized_at IS NULL",
    ),
    # The policies of `run` apply to this condition too.
    "cell": HostGrant(("SELECT",), "EXISTS (SELECT FROM run WHERE run.id = cell.run_id)"),
    # A host takes no trials while the disk of the database lacks space.
    "database_shortage": HostGrant(("SELECT",), _IS_HOST),
    "trial": HostGrant(
        (
            "SELECT",
            "UPDATE (status, attempt, lease_until, started_at, finished_at, stage_seconds, "
            "runtime, image_digest, environment, conformance, conformance_after, checks, "
            "verdicts, failure, retried_failures, warm_up, generator, requests_total, "
            "k6_summary, second_reading)",
        ),
        # Its run ends with its last trial, so a worker reads the status of ended trials too.
        f"{_OWN_ROW} AND (status NOT IN {_ENDS} "
        "OR EXISTS (SELECT FROM run WHERE run.id = trial.run_id))",
    ),
    "sample": _MEASUREMENTS,
    "histogram": _MEASUREMENTS,
    "metric_value": _MEASUREMENTS,
    "trial_log": HostGrant(
        ("SELECT", "INSERT", "UPDATE (content)"), _of_unfinished_trial("trial_log")
    ),
    # The dispatcher ends a guard, so a host sees it only until then.
    "guard_request": HostGrant(
        (
            f"SELECT ({', '.join(RequestedGuard.worker_columns)})",
            "UPDATE (status, progress, doing, attempt, lease_until, report, failure)",
        ),
        f"{_OWN_ROW} AND status IN ('queued', 'running')",
    ),
    # The policies of `guard_request` apply to this condition too.
    "guard_source": HostGrant(
        ("SELECT (workspace_id, digest, content)",),
        "EXISTS (SELECT FROM guard_request WHERE guard_request.status = 'running' "
        "AND guard_request.workspace_id = guard_source.workspace_id AND guard_source.digest "
        "IN (guard_request.base_source, guard_request.head_source))",
    ),
    # The worker of the installation itself refuses some work if people have accounts. A host that
    # joined always refuses it.
    "user": HostGrant(
        ("SELECT (id)",),
        f"EXISTS (SELECT FROM host WHERE id = {_ME} AND joined_at IS NULL)",
    ),
    # A host may claim any source for a digest, so its rows count for its own results only.
    "build_source": HostGrant(("SELECT (host_id, digest)", "INSERT"), _OWN_ROW),
}

# Functions by which a worker locks, deletes, and reads what it needs of ended trials. Each refuses
# what belongs to other hosts.
_HOST_FUNCTIONS = (
    "current_bench_host()",
    *("take_host_lease(text, uuid)", "holds_host_lease(text, uuid)"),
    *("release_host_lease(text, uuid)", "reserve_hosts(text[], uuid)", "try_claim_lock()"),
    *("delete_measurements(uuid)", "delete_host_framework(uuid)", "delete_host_scenario(uuid)"),
    *("list_own_trials(uuid[])", "list_comparable_builds(uuid, text[], integer)"),
)

_COMMANDS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def list_statements(tables: frozenset[str]) -> list[str]:
    """Return the statements that give all roles their rights, replacing earlier rights.

    Args:
        tables: names of all tables of the schema, without partitions, to which no role has rights.
    """
    statements = ["REVOKE CREATE ON SCHEMA public FROM PUBLIC"]
    for role in GROUP_ROLES:
        statements.append(f"GRANT USAGE ON SCHEMA public TO {role}")
        statements.append(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
    statements.append(f"GRANT EXECUTE ON FUNCTION {', '.join(_HOST_FUNCTIONS)} TO {HOST_ROLE}")
    statements.extend(_grant_management())
    for table in sorted(tables - {_VERSION_TABLE}):
        statements.extend(_grant_table(table))
    statements.append(f"GRANT SELECT ON {_VERSION_TABLE} TO {', '.join(GROUP_ROLES)}")
    return statements


def digest_of(statements: list[str]) -> str:
    """Return a digest, so that rights are granted again only if they have changed."""
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()


def _grant_management() -> list[str]:
    return [
        f"GRANT EXECUTE ON FUNCTION create_host_role(text, text) TO {API_ROLE}",
        f"GRANT EXECUTE ON FUNCTION lock_host_role(text) TO {API_ROLE}, {DISPATCHER_ROLE}",
        f"GRANT EXECUTE ON FUNCTION drop_host_role(text) TO {API_ROLE}, {DISPATCHER_ROLE}",
        f"GRANT EXECUTE ON FUNCTION create_sample_partition(date) TO {DISPATCHER_ROLE}",
        f"GRANT EXECUTE ON FUNCTION drop_sample_partition(date) TO {DISPATCHER_ROLE}",
        f"GRANT EXECUTE ON FUNCTION end_long_transactions_of_hosts(integer) TO {DISPATCHER_ROLE}",
    ]


def _grant_table(table: str) -> list[str]:
    everywhere = [API_ROLE]
    if table not in HIDDEN_FROM_DISPATCHER:
        everywhere.append(DISPATCHER_ROLE)
    roles = ", ".join(everywhere)
    statements = [f'GRANT {", ".join(_COMMANDS)} ON "{table}" TO {roles}']
    grant = HOST_GRANTS.get(table)
    if grant is None:
        return statements
    statements.append(f'GRANT {", ".join(grant.privileges)} ON "{table}" TO {HOST_ROLE}')
    statements.append(f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY')
    conditions = {"tacho_all": (roles, "ALL", "true")} | {
        f"tacho_host_{command.lower()}": (HOST_ROLE, command, _condition(grant, command))
        for command in _COMMANDS
        if any(privilege.startswith(command) for privilege in grant.privileges)
    }
    for name, (to, command, condition) in conditions.items():
        statements.append(f'DROP POLICY IF EXISTS {name} ON "{table}"')
        statements.append(_policy(name, table, to, command, condition))
    return statements


def _condition(grant: HostGrant, command: str) -> str:
    return grant.visible if command == "SELECT" else grant.writable or grant.visible


def _policy(name: str, table: str, roles: str, command: str, condition: str) -> str:
    """Return a statement that creates a policy. PostgreSQL checks USING of new rows too."""
    clause = "WITH CHECK" if command == "INSERT" else "USING"
    return f'CREATE POLICY {name} ON "{table}" FOR {command} TO {roles} {clause} ({condition})'


# Regular expression of their names. The first ones are locks, which API and dispatcher use.
RESTRICTED = "^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)"

# The functions are in `pg_catalog`, where only a superuser may change rights. A function that is
# restricted already is left alone, so that starts at the same time do not disturb each other.
_RESTRICT = """
DO $$ DECLARE found record; role text; BEGIN
    FOR found IN SELECT oid::regprocedure AS name, proname ~ 'advisory' AS is_lock FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '{pattern}'
    AND (has_function_privilege('public', oid, 'EXECUTE') OR proname ~ 'advisory' AND NOT (
        SELECT bool_and(has_function_privilege(name, oid, 'EXECUTE')) FROM unnest({names}) AS name
    )) LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', found.name);
        IF found.is_lock THEN
            FOREACH role IN ARRAY {names} LOOP
                EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', found.name, role);
            END LOOP;
        END IF;
    END LOOP;
END $$
"""


def restrict_functions(roles: Sequence[str]) -> str:
    """Return a statement for a superuser. After it, only these roles may take advisory locks.

    No role but a superuser may use large objects or write messages into the log then.

    Args:
        roles: they exist.
    """
    names = ", ".join("'" + role.replace("'", "''") + "'" for role in roles)
    return _RESTRICT.format(names=f"ARRAY[{names}]", pattern=RESTRICTED).strip()
