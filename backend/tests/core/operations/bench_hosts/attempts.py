# ruff: noqa: S608
"""Attempts that PostgreSQL and Redis must refuse if a bench host makes them.

Tests use them with a host of their own, and .ci/try-as-bench-host with a host that has joined.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg
import redis

from backend.core.queue import REQUESTS, host_queue, load_queue
from backend.core.runs.live.event_stream import RunStream
from worker.remote.channels import reports_key, signals_key

DENIED = "42501"
NOTHING: tuple[str, ...] = ()

# The rights of a bench host on each table. A new table without an entry fails the test.
RIGHTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("alembic_version", "cell", "database_shortage"), ("SELECT",)),
    **dict.fromkeys(("framework", "scenario", "trial"), ("SELECT",)),
    # It may add rows too, but must leave the time of the registration to the database.
    **dict.fromkeys(("host_framework", "host_scenario"), ("SELECT",)),
    **dict.fromkeys(("build_source", "histogram", "metric_value", "sample"), ("INSERT",)),
    "trial_log": ("INSERT", "SELECT"),
    # It may read some columns of its host, of its runs and of its guards, and of their sources
    # while they run.
    **dict.fromkeys(("host", "run", "guard_request", "guard_source"), NOTHING),
    # Functions write it, so no host chooses when its lease ends.
    "host_lease": NOTHING,
    # The bench host of the installation itself may read the ids.
    "user": NOTHING,
    **dict.fromkeys(("access_token", "audit_event", "backup", "deleted_run"), NOTHING),
    **dict.fromkeys(("cell_chart", "cell_metric", "cell_summary", "run_group"), NOTHING),
    **dict.fromkeys(("change", "incident", "schedule", "scheduled_run"), NOTHING),
    **dict.fromkeys(("guard", "slo", "snapshot", "study", "retention_setting"), NOTHING),
    **dict.fromkeys(("host_credential", "host_event", "webhook", "webhook_delivery"), NOTHING),
    **dict.fromkeys(("identity", "membership", "one_time_link", "user_session"), NOTHING),
    "workspace": NOTHING,
}
_COLUMNS = """
SELECT relname, array_agg(attname ORDER BY attnum) FROM pg_class
JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
GROUP BY relname ORDER BY relname
"""
# The modes of LOCK TABLE that stop other hosts, or the migrations.
_MODES = ("SHARE UPDATE EXCLUSIVE", "SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE")
# Functions that every role may call unless Tacho forbids it.
_FUNCTIONS = """
SELECT proname, array(SELECT format_type(type, NULL) FROM unnest(proargtypes) AS type) FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
AND proname ~ '^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)' ORDER BY oid
"""
_ARGUMENTS = {"bytea": "'x'::bytea", "text": "'/etc/passwd'::text"}

FORBIDDEN = (
    "CREATE TABLE t (a int)",
    "CREATE TABLE public.t AS SELECT 1",
    "CREATE TEMPORARY TABLE t (a int)",
    "CREATE VIEW v AS SELECT 1",
    "CREATE SEQUENCE s",
    "CREATE TYPE t AS (a int)",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA s",
    "CREATE ROLE r",
    "CREATE DATABASE d",
    "DROP EXTENSION plpgsql",
    "CREATE EVENT TRIGGER t ON ddl_command_start EXECUTE FUNCTION audit_event_is_append_only()",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "CREATE SUBSCRIPTION s CONNECTION 'dbname=tacho' PUBLICATION p WITH (connect = false)",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE CURRENT_USER CREATEROLE",
    "ALTER ROLE CURRENT_USER BYPASSRLS",
    "ALTER ROLE tacho_host CREATEROLE",
    "ALTER ROLE tacho_api PASSWORD 'x'",
    "SET ROLE tacho_api",
    "SET ROLE tacho_dispatcher",
    "SET ROLE pg_read_all_data",
    "SET ROLE pg_execute_server_program",
    "SET SESSION AUTHORIZATION tacho_api",
    "GRANT tacho_api TO CURRENT_USER",
    "GRANT SELECT ON host_credential TO CURRENT_USER",
    "ALTER SYSTEM SET log_statement = 'all'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY host TO '/tmp/tacho-host'",
    "COPY trial_log FROM '/etc/passwd'",
    "COPY trial_log FROM PROGRAM 'true'",
    "SELECT rolpassword FROM pg_authid",
    "SELECT passwd FROM pg_shadow",
    "SELECT * FROM pg_hba_file_rules",
    "SELECT * FROM pg_file_settings",
    "SELECT * FROM pg_statistic",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('/etc/passwd')",
    "SELECT pg_stat_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT pg_ls_logdir()",
    "SELECT pg_switch_wal()",
    "SELECT pg_create_restore_point('r')",
    "SELECT pg_rotate_logfile()",
    "SELECT create_host_role('tacho_host_0123456789abcdef', 'SCRAM-SHA-256$x')",
    "SELECT lock_host_role('tacho_host_0123456789abcdef')",
    "SELECT drop_host_role('tacho_host_0123456789abcdef')",
    "SELECT create_sample_partition('2030-01-01')",
    "SELECT drop_sample_partition('2020-01-01')",
    "SELECT end_long_transactions_of_hosts(0)",
    "SELECT lease_host('bench-01', 'worker', gen_random_uuid())",
    "SELECT limit_host_role('tacho_host_0123456789abcdef')",
    # The requester of a run, and its workspace.
    *(
        f"SELECT {column} FROM run"
        for column in ("title", "slug", "requested_by", "workspace_id", "visibility", "study")
    ),
    "SELECT reserved_for FROM host",
    "SELECT status FROM change",
    "SELECT * FROM sample_default",
    "DELETE FROM sample_default",
    "LOCK TABLE sample_default IN ACCESS EXCLUSIVE MODE",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> CURRENT_USER",
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename <> CURRENT_USER",
    "SET session_replication_role = replica",
    "SELECT pg_reload_conf()",
    "CHECKPOINT",
)


_FORBIDDEN_COMMANDS = (
    *("FCALL f 0", "FCALL_RO f 0", "FUNCTION LIST", "FUNCTION FLUSH", "SCRIPT FLUSH"),
    # Messages to all, and commands to other workers.
    *("PUBLISH /0.celery.pidbox shutdown", "SPUBLISH /0.celery.pidbox shutdown"),
    *("SUBSCRIBE /0.celery.pidbox", "PSUBSCRIBE *"),
    # The server.
    *("KEYS *", "SCAN 0", "RANDOMKEY", "DBSIZE", "FLUSHALL", "FLUSHDB", "SWAPDB 0 1"),
    *("CONFIG GET *", "ACL LIST", "ACL WHOAMI", "INFO", "COMMAND", "WAIT 1 0", "MONITOR"),
    *("CLIENT LIST", "CLIENT KILL TYPE normal", "CLIENT PAUSE 1", "SAVE", "SHUTDOWN NOSAVE"),
    *("REPLICAOF 127.0.0.1 1", "MODULE LIST", "SLOWLOG GET"),
)


@dataclass(frozen=True)
class OtherHost:
    """Another host with a run, whose rows and keys must stay closed.

    Attributes:
        queue: its name in Redis and in leases.
    """

    host_id: UUID
    queue: str
    run_id: UUID
    trial_id: UUID


def list_columns(connection: psycopg.Connection) -> dict[str, Sequence[str]]:
    """Return the columns of each table. Every role may read them."""
    return dict(connection.execute(_COLUMNS).fetchall())


def list_table_attempts(table: str, columns: Sequence[str]) -> dict[str, str]:
    """Return statements that need one right each, and change nothing."""
    names = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f'(NULL::"{table}")."{name}"' for name in columns)
    return {
        "SELECT": f'SELECT * FROM "{table}"',
        "INSERT": f'INSERT INTO "{table}" ({names}) SELECT {values} WHERE false',
        "UPDATE": f'UPDATE "{table}" SET "{columns[0]}" = NULL WHERE false',
        "DELETE": f'DELETE FROM "{table}" WHERE false',
        "TRUNCATE": f'TRUNCATE "{table}"',
        "TRIGGER": f'CREATE TRIGGER t BEFORE INSERT ON "{table}" '
        "EXECUTE FUNCTION audit_event_is_append_only()",
        "INDEX": f'CREATE INDEX ON "{table}" ("{columns[0]}")',
        "ALTER": f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY',
        "POLICY": f'CREATE POLICY p ON "{table}" USING (true)',
        "DROP": f'DROP TABLE "{table}"',
        **{f"LOCK {mode}": f'LOCK TABLE "{table}" IN {mode} MODE' for mode in _MODES},
    }


def list_row_attempts(other: OtherHost) -> list[str]:
    """Return statements that read or change rows of another host. They must find none."""
    trial, run, host = other.trial_id, other.run_id, other.host_id
    by_trial = f"trial_id = '{trial}'"
    return [
        f"SELECT id FROM host WHERE id = '{host}'",
        f"SELECT id FROM run WHERE id = '{run}'",
        f"SELECT id FROM cell WHERE run_id = '{run}'",
        f"SELECT id FROM trial WHERE id = '{trial}'",
        f"SELECT trial_id FROM sample WHERE {by_trial}",
        f"SELECT trial_id FROM histogram WHERE {by_trial}",
        f"SELECT trial_id FROM metric_value WHERE {by_trial}",
        f"SELECT name FROM trial_log WHERE {by_trial}",
        f"SELECT digest FROM build_source WHERE host_id = '{host}'",
        f"SELECT slug FROM host_framework WHERE host_id = '{host}'",
        f"SELECT slug FROM host_scenario WHERE host_id = '{host}'",
        f"SELECT id FROM trial WHERE id = '{trial}' FOR UPDATE",
        f"UPDATE host SET seen_at = now() WHERE id = '{host}'",
        f"UPDATE run SET finished_at = NULL WHERE id = '{run}'",
        f"UPDATE trial SET status = 'failed' WHERE id = '{trial}'",
        f"UPDATE trial_log SET content = '' WHERE {by_trial}",
        f"UPDATE host_framework SET position = 0 WHERE host_id = '{host}'",
        f"UPDATE host_scenario SET position = 0 WHERE host_id = '{host}'",
        f"INSERT INTO trial_log (trial_id, name, content) VALUES ('{trial}', 'forged', '')",
        "INSERT INTO metric_value (trial_id, metric, value) "
        f"VALUES ('{trial}', 'sustained_rps', 1)",
        "INSERT INTO histogram (trial_id, latency, latency_failed, latency_sum_ns, latency_max_ns) "
        f"VALUES ('{trial}', '', '', 0, 0)",
        "INSERT INTO sample (trial_id, phase, second, requests, failed, errors, bytes_sent, "
        "bytes_received, dropped, vus, in_flight, latency) "
        f"VALUES ('{trial}', 'measure', 9999, 1, 0, '{{}}', 0, 0, 0, 1, 1, '')",
        "INSERT INTO build_source (host_id, digest, program, versions, files) "
        f"VALUES ('{host}', 'forged', 'node', '{{}}', '[]')",
        "INSERT INTO host_framework (id, host_id, slug, digest, manifest, position) "
        f"VALUES (gen_random_uuid(), '{host}', 'forged', '', '{{}}', 0)",
        "INSERT INTO host_scenario (id, host_id, slug, digest, manifest, position) "
        f"VALUES (gen_random_uuid(), '{host}', 'forged', '', '{{}}', 0)",
        # Leases and functions that a host uses for itself.
        f"SELECT take_host_lease('{other.queue}', gen_random_uuid())",
        f"SELECT holds_host_lease('{other.queue}', gen_random_uuid())",
        f"SELECT release_host_lease('{other.queue}', gen_random_uuid())",
        f"SELECT reserve_hosts(ARRAY['{other.queue}'], gen_random_uuid())",
        f"SELECT list_own_trials(ARRAY['{trial}'::uuid])",
        f"SELECT list_comparable_builds('{host}', ARRAY['node'], 40)",
        f"SELECT delete_measurements('{trial}')",
        f"SELECT delete_host_framework('{host}')",
        f"SELECT delete_host_scenario('{host}')",
    ]


def list_function_attempts(connection: psycopg.Connection) -> list[str]:
    """Return calls of all functions for advisory locks and large objects, one for each overload."""
    return [
        f"SELECT {name}({', '.join(_ARGUMENTS.get(kind, f'1::{kind}') for kind in kinds)})"
        for name, kinds in connection.execute(_FUNCTIONS)
    ]


def find_permitted(connection: psycopg.Connection, other: OtherHost) -> list[str]:
    """Return the attempts that PostgreSQL does not refuse, each with the error code that it has.

    Args:
        connection: as a bench host's user, with autocommit.
        other: another host.
    """
    attempts = [*FORBIDDEN, *list_function_attempts(connection), *_list_beyond_rights(connection)]
    refusals = {statement: find_refusal(connection, statement) for statement in attempts}
    for statement in list_row_attempts(other):
        refusals[statement] = find_refusal(connection, statement, finds_rows=True)
    return [f"{statement} ({code})" for statement, code in refusals.items() if code != DENIED]


def find_refusal(
    connection: psycopg.Connection, statement: str, *, finds_rows: bool = False
) -> str:
    """Return the error code of a statement; empty if it is permitted.

    Args:
        connection: with autocommit.
        statement: any.
        finds_rows: whether a statement that finds no row counts as refused.
    """
    try:
        # LOCK TABLE works only in a transaction.
        if statement.startswith("LOCK"):
            with connection.transaction(force_rollback=True):
                connection.execute(statement)
            return ""
        done = connection.execute(statement)
    except psycopg.Error as error:
        return error.sqlstate or "no code"
    return DENIED if finds_rows and done.rowcount == 0 else ""


def _list_beyond_rights(connection: psycopg.Connection) -> Iterator[str]:
    for table, columns in list_columns(connection).items():
        for name, statement in list_table_attempts(table, columns).items():
            if name not in RIGHTS.get(table, NOTHING):
                yield statement


def list_commands(username: str, queue: str, run_id: UUID, other: OtherHost) -> list[Sequence[str]]:
    """Return commands of Redis that must be refused.

    Args:
        username: of the host, in Redis.
        queue: of the host.
        run_id: of a run on the host.
        other: another host.
    """
    own, foreign = host_queue(queue), host_queue(other.queue)
    stream, foreign_stream = RunStream(queue, run_id).key, RunStream(other.queue, other.run_id).key
    between = (other.queue, f"{other.queue}-2", "trial.1")
    return [
        # Other queues, and those of the dispatcher.
        ("LPUSH", foreign, "message"),
        ("BRPOP", foreign, "1"),
        ("LLEN", foreign),
        ("LPUSH", load_queue(other.queue), "message"),
        ("RPOP", load_queue(other.queue)),
        ("DEL", load_queue(other.queue)),
        ("SADD", f"_kombu.binding.{load_queue(other.queue)}", "member"),
        ("LPUSH", "dispatch", "message"),
        ("RPOP", REQUESTS),
        ("LRANGE", REQUESTS, "0", "-1"),
        ("SET", REQUESTS, "no list"),
        ("DEL", REQUESTS),
        # Loads between other hosts.
        ("XADD", signals_key(*between), "*", "signal", "finish"),
        ("XREAD", "STREAMS", signals_key(*between), "0"),
        ("XADD", reports_key(*between), "*", "report", "{}"),
        ("SMEMBERS", f"_kombu.binding.{foreign}"),
        ("SADD", "_kombu.binding.dispatch", "member"),
        ("HGET", f"unacked.{foreign}", "tag"),
        ("HGET", "unacked", "tag"),
        # Events of runs on other hosts, and reading any.
        ("XADD", foreign_stream, "*", "name", "end"),
        ("XADD", foreign_stream, "MAXLEN", "0", "*", "name", "log"),
        ("EXPIRE", foreign_stream, "0"),
        ("XRANGE", stream, "-", "+"),
        ("XREAD", "STREAMS", stream, "0"),
        ("XTRIM", stream, "MAXLEN", "0"),
        ("DEL", stream),
        ("GET", "anything"),
        # A script blocks Redis while it runs.
        ("EVAL", "return 1", "0"),
        ("EVAL_RO", "return 1", "0"),
        ("EVALSHA", "0" * 40, "0"),
        ("EVALSHA_RO", "0" * 40, "0"),
        ("SCRIPT", "LOAD", "return 1"),
        ("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() end)"),
        ("CONFIG", "SET", "requirepass", ""),
        ("ACL", "SETUSER", username, "~*"),
        *(command.split() for command in _FORBIDDEN_COMMANDS),
        ("MIGRATE", "127.0.0.1", "1", own, "0", "10"),
        ("RENAME", own, foreign),
        ("COPY", own, foreign),
        ("SORT", own, "BY", "anything", "GET", "anything"),
        ("DUMP", own),
        ("RESTORE", own, "0", ""),
        ("OBJECT", "ENCODING", foreign),
    ]


def is_refused(client: redis.Redis, command: Sequence[str]) -> bool:
    """Return whether Redis refuses a command because of the rights of the user."""
    try:
        client.execute_command(*command)  # type: ignore[no-untyped-call]
    except redis.exceptions.NoPermissionError:
        return True
    except redis.ResponseError:
        pass
    return False
