# ruff: noqa: S608
"""functions for what bench hosts lock and delete, so that they need no right on whole tables"""

from collections.abc import Sequence

from alembic import op

revision: str = "f4c19b70a3e6"
down_revision: str | None = "e2a86f41c7d5"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# `session_user` is the role that logged in. Names of this form belong to roles of bench hosts only,
# whose rights end with the row in `host_credential`. The other roles are trusted.
_IS_HOST = "session_user ~ '^tacho_host_[0-9a-f]{16}$'"
_REFUSE = """
        IF {is_host} AND NOT EXISTS ({allowed}) THEN
            RAISE EXCEPTION 'A bench host cannot take the lock of the host %.', queue_name
            USING ERRCODE = 'insufficient_privilege';
        END IF;"""
_OWN = """
            SELECT FROM public.host
            WHERE id = public.current_bench_host() AND queue = queue_name"""
_LOAD_HOST = """
            UNION ALL
            SELECT FROM public.run
            WHERE host_id = public.current_bench_host() AND finished_at IS NULL
            AND finalized_at IS NULL AND queue_name = ANY (load_hosts)"""
_DEFINER = "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$"
_FUNCTIONS = (
    f"""
    CREATE FUNCTION try_host_lock(queue_name text) RETURNS boolean {_DEFINER}
    BEGIN{_REFUSE.format(is_host=_IS_HOST, allowed=_OWN)}
        RETURN pg_try_advisory_lock(hashtextextended('tacho.host.' || queue_name, 0));
    END $$
    """,
    f"""
    CREATE FUNCTION try_busy_lock(queue_name text) RETURNS boolean {_DEFINER}
    BEGIN{_REFUSE.format(is_host=_IS_HOST, allowed=_OWN + _LOAD_HOST)}
        RETURN pg_try_advisory_lock(hashtextextended('tacho.busy.' || queue_name, 0));
    END $$
    """,
    f"""
    CREATE FUNCTION try_claim_lock() RETURNS boolean {_DEFINER}
    BEGIN
        RETURN pg_try_advisory_xact_lock_shared(hashtextextended('tacho.drain', 0));
    END $$
    """,
    # The right to delete rows of a table is the right to lock the whole table.
    f"""
    CREATE FUNCTION delete_measurements(of_trial uuid) RETURNS void {_DEFINER}
    BEGIN
        IF {_IS_HOST} AND NOT EXISTS (
            SELECT FROM public.trial
            WHERE id = of_trial AND host_id = public.current_bench_host()
            AND status NOT IN ('succeeded', 'failed', 'cancelled')
        ) THEN
            RAISE EXCEPTION 'A bench host deletes only measurements of its unfinished trials.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        DELETE FROM public.sample WHERE trial_id = of_trial;
        DELETE FROM public.histogram WHERE trial_id = of_trial;
        DELETE FROM public.metric_value WHERE trial_id = of_trial;
    END $$
    """,
    *(
        f"""
    CREATE FUNCTION delete_{table}(source_id uuid) RETURNS void {_DEFINER}
    BEGIN
        IF {_IS_HOST} AND NOT EXISTS (
            SELECT FROM public.{table}
            WHERE id = source_id AND host_id = public.current_bench_host()
        ) THEN
            RAISE EXCEPTION 'A bench host deletes only its own sources.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        DELETE FROM public.{table} WHERE id = source_id;
    END $$
    """
        for table in ("host_framework", "host_scenario")
    ),
    # A transaction holds its locks until it ends, and a host chooses when that is.
    f"""
    CREATE FUNCTION end_long_transactions_of_hosts(seconds integer) RETURNS integer {_DEFINER}
    BEGIN
        RETURN (
            SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND usename ~ '^tacho_host_[0-9a-f]{{16}}$'
            AND xact_start < now() - make_interval(secs => seconds)
        );
    END $$
    """,
)
_NAMES = (
    "try_host_lock(text)",
    "try_busy_lock(text)",
    "try_claim_lock()",
    "delete_measurements(uuid)",
    "delete_host_framework(uuid)",
    "delete_host_scenario(uuid)",
    "end_long_transactions_of_hosts(integer)",
)


def upgrade() -> None:
    for function in _FUNCTIONS:
        op.execute(function)
    for name in _NAMES:
        op.execute(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC")


def downgrade() -> None:
    for name in _NAMES:
        op.execute(f"DROP FUNCTION {name}")
