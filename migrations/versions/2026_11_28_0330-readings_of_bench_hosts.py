# ruff: noqa: S608
"""functions for what bench hosts read of ended trials, and limits of their roles"""

from collections.abc import Sequence

from alembic import op

revision: str = "b3f7a1d95c42"
down_revision: str | None = "9c3b7e51d2a8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_IS_HOST = "session_user ~ '^tacho_host_[0-9a-f]{16}$'"
_DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$"
_FUNCTIONS = (
    # A worker removes what trials have left on its machine, if they are of this installation.
    f"""
    CREATE FUNCTION list_own_trials(ids uuid[]) RETURNS SETOF uuid LANGUAGE sql STABLE {_DEFINER}
        SELECT id FROM public.trial
        WHERE id = ANY (ids) AND (NOT {_IS_HOST} OR host_id = public.current_bench_host())
    $$
    """,
    # Builds of open changes, and of the newest cells of each combination that a history shows as
    # one series.
    f"""
    CREATE FUNCTION list_comparable_builds(of_host uuid, of_frameworks text[], newest integer)
    RETURNS SETOF jsonb LANGUAGE sql STABLE {_DEFINER}
        WITH aged AS (
            SELECT cell.id, row_number() OVER (
                PARTITION BY run.workspace_id, run.load_hosts, cell.framework_id, cell.scenario_id,
                    cell.profile, cell.parameters
                ORDER BY run.created_at DESC, run.id DESC
            ) AS age
            FROM public.cell
            JOIN public.run ON run.id = cell.run_id
            JOIN public.framework ON framework.id = cell.framework_id
            WHERE run.host_id = of_host AND run.purpose = 'comparison'
            AND run.status IN ('succeeded', 'failed', 'cancelled')
            AND framework.slug = ANY (of_frameworks)
        ), wanted AS (
            SELECT id FROM aged WHERE age <= newest
            UNION
            SELECT unnest(ARRAY[before_cell_id, after_cell_id]) FROM public.change
            WHERE host_id = of_host AND (
                status IN ('suspected', 'testing')
                OR status = 'confirmed' AND acknowledged_at IS NULL
            )
        )
        SELECT DISTINCT trial.environment -> 'builds' FROM public.trial
        WHERE trial.cell_id IN (SELECT id FROM wanted) AND trial.status = 'succeeded'
        AND (NOT {_IS_HOST} OR of_host = public.current_bench_host())
    $$
    """,
)
_NAMES = ("list_own_trials(uuid[])", "list_comparable_builds(uuid, text[], integer)")
# A host can change the two times for its own connection. The dispatcher ends its transactions that
# take longer. Only a superuser may limit temporary files.
_LIMITS = """
CREATE FUNCTION limit_host_role(name text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF name !~ '^tacho_host_[0-9a-f]{16}$' THEN
        RAISE EXCEPTION 'This is not a role of a bench host: %', name;
    END IF;
    BEGIN
        EXECUTE format('ALTER ROLE %I SET statement_timeout = ''120s''', name);
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''120s''', name);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
    -- On its own: an exception undoes what its block did.
    BEGIN
        EXECUTE format('ALTER ROLE %I SET temp_file_limit = ''256MB''', name);
    EXCEPTION WHEN insufficient_privilege THEN NULL;
    END;
END $$
"""
_CREATE_ROLE = """
CREATE OR REPLACE FUNCTION create_host_role(name text, verifier text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF name !~ '^tacho_host_[0-9a-f]{{16}}$' OR verifier !~ '^SCRAM-SHA-256[$]' THEN
        RAISE EXCEPTION 'This is not a role of a bench host: %', name;
    END IF;
    EXECUTE format(
        'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION '
        'CONNECTION LIMIT 30 IN ROLE tacho_host PASSWORD %L', name, verifier
    );
    -- Only members of a role may end its connections.
    EXECUTE format('GRANT %I TO CURRENT_USER', name);{limits}
END $$
"""


def upgrade() -> None:
    for function in (*_FUNCTIONS, _LIMITS):
        op.execute(function)
    for name in (*_NAMES, "limit_host_role(text)"):
        op.execute(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC")
    op.execute(_CREATE_ROLE.format(limits="\n    PERFORM public.limit_host_role(name);"))
    op.execute(
        "SELECT limit_host_role(username) FROM host_credential JOIN pg_roles ON rolname = username"
    )


def downgrade() -> None:
    op.execute(_CREATE_ROLE.format(limits=""))
    for name in (*_NAMES, "limit_host_role(text)"):
        op.execute(f"DROP FUNCTION {name}")
