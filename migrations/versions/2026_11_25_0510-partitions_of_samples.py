"""partitions of the table sample, one for each month"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c4e8a1d70f35"
down_revision: str | None = "a9c4e17d60b3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_MONTHS_AHEAD = 2

# Ids are UUIDv7: their first 48 bits are the milliseconds since 1970, so they sort by time.
_FIRST_ID_AT = """
CREATE FUNCTION first_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT (
        lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20)
    )::uuid
$$
"""
# Run with the rights of the tables' owner, so that the dispatcher needs no right to create tables.
_CREATE = """
CREATE FUNCTION create_sample_partition(first_day date) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    begins timestamp := date_trunc('month', first_day::timestamp);
    partition_name text := 'sample_' || to_char(begins, 'YYYY_MM');
    lower_id uuid := public.first_id_at(begins AT TIME ZONE 'UTC');
    upper_id uuid := public.first_id_at((begins + interval '1 month') AT TIME ZONE 'UTC');
BEGIN
    IF to_regclass('public.' || partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Rows of this month that came before the partition move into it.
    LOCK TABLE public.sample_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
        'CREATE TABLE public.%I (LIKE public.sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
        partition_name
    );
    EXECUTE format(
        'WITH moved AS (DELETE FROM public.sample_default WHERE trial_id >= %L AND trial_id < %L '
        'RETURNING *) INSERT INTO public.%I SELECT * FROM moved', lower_id, upper_id, partition_name
    );
    EXECUTE format(
        'ALTER TABLE public.%I ADD CONSTRAINT %I PRIMARY KEY (trial_id, phase, second)',
        partition_name, 'pk_' || partition_name
    );
    EXECUTE format(
        'ALTER TABLE public.sample ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        partition_name, lower_id, upper_id
    );
    RETURN true;
END $$
"""
_CREATE_NAME = "create_sample_partition(date)"
_FOREIGN_KEY = (
    "ALTER TABLE sample ADD CONSTRAINT fk_sample_trial_id_trial FOREIGN KEY (trial_id) "
    "REFERENCES trial (id) ON DELETE CASCADE"
)
# Months whose trials have ids with a time. Other ids belong to the default partition.
_MONTHS = """
SELECT DISTINCT date_trunc('month', to_timestamp(
    ('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0
) AT TIME ZONE 'UTC')::date
FROM trial WHERE substr(id::text, 15, 1) = '7'
UNION SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => number))::date
FROM generate_series(0, :ahead) AS number
ORDER BY 1
"""


def upgrade() -> None:
    """Copy all seconds into partitions. Until commit, the disk holds them twice."""
    op.execute(_FIRST_ID_AT)
    op.execute("ALTER TABLE sample RENAME TO sample_before")
    op.execute("ALTER TABLE sample_before RENAME CONSTRAINT pk_sample TO pk_sample_before")
    op.execute(
        "CREATE TABLE sample (LIKE sample_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS, "
        "CONSTRAINT pk_sample PRIMARY KEY (trial_id, phase, second)) "
        "PARTITION BY RANGE (trial_id)"
    )
    # A row is never refused because its month has no partition.
    op.execute(
        "CREATE TABLE sample_default (LIKE sample INCLUDING DEFAULTS INCLUDING CONSTRAINTS, "
        "CONSTRAINT pk_sample_default PRIMARY KEY (trial_id, phase, second))"
    )
    op.execute("ALTER TABLE sample ATTACH PARTITION sample_default DEFAULT")
    op.execute(_CREATE)
    op.execute(f"REVOKE EXECUTE ON FUNCTION {_CREATE_NAME} FROM PUBLIC")
    connection = op.get_bind()
    for first_day in connection.scalars(sa.text(_MONTHS), {"ahead": _MONTHS_AHEAD}).all():
        connection.execute(sa.select(sa.func.create_sample_partition(first_day)))
    op.execute("INSERT INTO sample SELECT * FROM sample_before")
    # One check of the whole table takes less time than one of each new row.
    op.execute(_FOREIGN_KEY)
    op.execute("DROP TABLE sample_before")
    _forget_granted_rights()


def downgrade() -> None:
    op.execute("ALTER TABLE sample RENAME TO sample_partitioned")
    op.execute(
        "ALTER TABLE sample_partitioned RENAME CONSTRAINT pk_sample TO pk_sample_partitioned"
    )
    op.execute(
        "CREATE TABLE sample (LIKE sample_partitioned INCLUDING DEFAULTS INCLUDING CONSTRAINTS, "
        "CONSTRAINT pk_sample PRIMARY KEY (trial_id, phase, second))"
    )
    op.execute("INSERT INTO sample SELECT * FROM sample_partitioned")
    op.execute(_FOREIGN_KEY)
    op.execute("DROP TABLE sample_partitioned")
    op.execute(f"DROP FUNCTION {_CREATE_NAME}")
    op.execute("DROP FUNCTION first_id_at(timestamptz)")
    _forget_granted_rights()


def _forget_granted_rights() -> None:
    """Make `tacho migrate` grant all rights again, because the new table has none."""
    op.execute("COMMENT ON FUNCTION current_bench_host() IS NULL")
