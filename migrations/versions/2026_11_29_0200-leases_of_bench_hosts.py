# ruff: noqa: S608
"""leases of bench hosts, instead of advisory locks that each need a connection"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c3e5d81a07b9"
down_revision: str | None = "7b1f0c2d9a64"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# `session_user` is the role that logged in. Names of this form belong to roles of bench hosts only,
# whose rights end with the row in `host_credential`. The other roles are trusted.
_IS_HOST = "session_user ~ '^tacho_host_[0-9a-f]{16}$'"
_REFUSE = """
        IF {is_host} AND NOT EXISTS ({allowed}) THEN
            RAISE EXCEPTION 'A bench host cannot take the {thing} of the host %.', queue_name
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
_REFUSE_OTHERS = _REFUSE.format(is_host=_IS_HOST, allowed=_OWN, thing="lease")
_REFUSE_UNUSED = _REFUSE.format(is_host=_IS_HOST, allowed=_OWN + _LOAD_HOST, thing="lease")
_DEFINER = "LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
# The time of the statement, not that of its transaction: it may have waited for another one. No
# holder chooses the end of its lease.
_NOW, _END = "clock_timestamp()", "clock_timestamp() + interval '30 seconds'"
_FUNCTIONS = (
    # A lease that ends later than a new one was taken before the clock was set back. It is
    # shortened, so that it ends in time if its holder is gone. A holder that lives renews it.
    f"""
    CREATE FUNCTION lease_host(queue_name text, of_purpose text, new_holder uuid)
    RETURNS boolean {_DEFINER} AS $$
    DECLARE is_mine boolean;
    BEGIN
        INSERT INTO public.host_lease AS lease (queue, purpose, holder, lease_until)
        VALUES (queue_name, of_purpose, new_holder, {_END})
        ON CONFLICT (queue, purpose) DO UPDATE SET lease_until = {_END}, holder =
            CASE WHEN lease.lease_until < {_NOW} THEN new_holder ELSE lease.holder END
        WHERE lease.holder = new_holder OR lease.lease_until < {_NOW} OR lease.lease_until > {_END}
        RETURNING lease.holder = new_holder INTO is_mine;
        RETURN coalesce(is_mine, false);
    END $$
    """,
    f"""
    CREATE FUNCTION take_host_lease(queue_name text, new_holder uuid) RETURNS boolean {_DEFINER}
    AS $$
    BEGIN{_REFUSE_OTHERS}
        RETURN public.lease_host(queue_name, 'worker', new_holder);
    END $$
    """,
    # The row stays locked until the transaction ends, so no other holder can take the lease.
    f"""
    CREATE FUNCTION holds_host_lease(queue_name text, of_holder uuid) RETURNS boolean {_DEFINER}
    AS $$
    BEGIN{_REFUSE_OTHERS}
        PERFORM FROM public.host_lease
        WHERE queue = queue_name AND purpose = 'worker' AND holder = of_holder FOR SHARE;
        RETURN FOUND;
    END $$
    """,
    f"""
    CREATE FUNCTION release_host_lease(queue_name text, of_holder uuid) RETURNS void {_DEFINER}
    AS $$
    BEGIN{_REFUSE_OTHERS}
        DELETE FROM public.host_lease
        WHERE queue = queue_name AND purpose = 'worker' AND holder = of_holder;
    END $$
    """,
    # Names in order, so that two trials that need the same hosts cannot block each other. A host
    # that keeps a transaction open must not hold up the others either.
    f"""
    CREATE FUNCTION reserve_hosts(queue_names text[], new_holder uuid) RETURNS text {_DEFINER}
    SET lock_timeout = '1s' AS $$
    DECLARE queue_name text;
    BEGIN
        DELETE FROM public.host_lease
        WHERE purpose = 'trial' AND holder = new_holder AND queue <> ALL (queue_names);
        FOR queue_name IN SELECT DISTINCT unnest(queue_names) ORDER BY 1 LOOP{_REFUSE_UNUSED}
            IF NOT public.lease_host(queue_name, 'trial', new_holder) THEN
                RETURN queue_name;
            END IF;
        END LOOP;
        RETURN NULL;
    EXCEPTION WHEN lock_not_available THEN
        RETURN coalesce(queue_name, queue_names[1]);
    END $$
    """,
)
_NAMES = (
    "reserve_hosts(text[], uuid)",
    "release_host_lease(text, uuid)",
    "holds_host_lease(text, uuid)",
    "take_host_lease(text, uuid)",
    "lease_host(text, text, uuid)",
)
# They were made by the migration `locks_of_bench_hosts`.
_LOCKS = (
    ("try_host_lock", "host", _OWN),
    ("try_busy_lock", "busy", _OWN + _LOAD_HOST),
)


def upgrade() -> None:
    for name, _, _ in _LOCKS:
        op.execute(f"DROP FUNCTION {name}(text)")
    op.create_table(
        "host_lease",
        sa.Column("queue", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("holder", sa.Uuid(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("queue", "purpose", name=op.f("pk_host_lease")),
    )
    for function in _FUNCTIONS:
        op.execute(function)
    for name in _NAMES:
        op.execute(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC")


def downgrade() -> None:
    for name in _NAMES:
        op.execute(f"DROP FUNCTION {name}")
    op.drop_table("host_lease")
    for name, key, allowed in _LOCKS:
        refuse = _REFUSE.format(is_host=_IS_HOST, allowed=allowed, thing="lock")
        op.execute(
            f"CREATE FUNCTION {name}(queue_name text) RETURNS boolean {_DEFINER} AS $$ "
            f"BEGIN{refuse} RETURN pg_try_advisory_lock("
            f"hashtextextended('tacho.{key}.' || queue_name, 0)); END $$"
        )
        op.execute(f"REVOKE EXECUTE ON FUNCTION {name}(text) FROM PUBLIC")
