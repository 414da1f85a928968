"""credentials of bench hosts, and the functions that manage their roles"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "a9d04c7e61b8"
down_revision: str | None = "a7c5e20b94d1"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# A function that runs with the rights of its owner has a fixed search path, so that nobody can
# replace what it calls. In a policy, `session_user` is the role that logged in.
_FUNCTIONS = (
    """
    CREATE FUNCTION current_bench_host() RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
        SELECT host_id FROM public.host_credential WHERE username = session_user
    $$
    """,
    """
    CREATE FUNCTION refuse_change_of_ended_trial() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF public.current_bench_host() IS NOT NULL THEN
            RAISE EXCEPTION 'A bench host cannot change a trial that has ended.'
            USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END $$
    """,
    """
    CREATE FUNCTION create_host_role(name text, verifier text) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF name !~ '^tacho_host_[0-9a-f]{16}$' OR verifier !~ '^SCRAM-SHA-256[$]' THEN
            RAISE EXCEPTION 'This is not a role of a bench host: %', name;
        END IF;
        EXECUTE format(
            'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION '
            'CONNECTION LIMIT 30 IN ROLE tacho_host PASSWORD %L', name, verifier
        );
        -- Only members of a role may end its connections.
        EXECUTE format('GRANT %I TO CURRENT_USER', name);
    END $$
    """,
    """
    CREATE FUNCTION lock_host_role(name text) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF NOT EXISTS (
            SELECT FROM public.host_credential WHERE username = name AND host_id IS NULL
        ) THEN
            RAISE EXCEPTION 'The credentials of % are not revoked.', name;
        END IF;
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', name);
        END IF;
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = name;
    END $$
    """,
    """
    CREATE FUNCTION drop_host_role(name text) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        PERFORM public.lock_host_role(name);
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('DROP OWNED BY %I', name);
            EXECUTE format('DROP ROLE %I', name);
        END IF;
        DELETE FROM public.host_credential WHERE username = name;
    END $$
    """,
)
_MANAGEMENT = ("create_host_role(text, text)", "lock_host_role(text)", "drop_host_role(text)")
# Triggers keep versions of data also if the role that changes a row has no rights on them.
_NOTING = (
    "note_data_version(text)",
    "note_topic()",
    "note_results()",
    "note_results_of_run()",
)


def upgrade() -> None:
    op.create_table(
        "host_credential",
        sa.Column("username", sa.String(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=True),
        sa.Column("redis_password_sha256", sa.String(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name="fk_host_credential_host_id_host", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("username", name="pk_host_credential"),
        sa.UniqueConstraint("host_id", name="uq_host_credential_host_id"),
    )
    for function in _FUNCTIONS:
        op.execute(function)
    for name in (*_MANAGEMENT, *_NOTING):
        op.execute(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC")
    for name in _NOTING:
        op.execute(
            f"ALTER FUNCTION {name} SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"
        )
    op.execute(
        "CREATE TRIGGER refuse_change_of_ended BEFORE UPDATE ON trial FOR EACH ROW "
        "WHEN (OLD.status IN ('succeeded', 'failed', 'cancelled')) "
        "EXECUTE FUNCTION refuse_change_of_ended_trial()"
    )


def downgrade() -> None:
    """Remove what the roles may do. The roles stay: they belong to the server."""
    op.execute(
        """
        DO $$ DECLARE found record; BEGIN
            FOR found IN SELECT policyname, tablename FROM pg_policies
            WHERE schemaname = 'public' AND policyname LIKE 'tacho_%' LOOP
                EXECUTE format('DROP POLICY %I ON %I', found.policyname, found.tablename);
                EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', found.tablename);
            END LOOP;
            FOR found IN SELECT rolname FROM pg_roles
            WHERE rolname IN ('tacho_api', 'tacho_dispatcher', 'tacho_host') LOOP
                EXECUTE format(
                    'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %I', found.rolname
                );
            END LOOP;
        END $$
        """
    )
    op.execute("DROP TRIGGER refuse_change_of_ended ON trial")
    op.execute("DROP FUNCTION refuse_change_of_ended_trial()")
    for name in _NOTING:
        op.execute(f"ALTER FUNCTION {name} SECURITY INVOKER RESET search_path")
        op.execute(f"GRANT EXECUTE ON FUNCTION {name} TO PUBLIC")
    for name in reversed(_MANAGEMENT):
        op.execute(f"DROP FUNCTION {name}")
    op.execute("DROP FUNCTION current_bench_host()")
    op.drop_table("host_credential")
