"""sources of builds per host"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e2a86f41c7d5"
down_revision: str | None = "d71b4e9c02f8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# Each host that measured a build gets the source that was recorded for it.
_DIVIDE = """
INSERT INTO build_source (host_id, digest, program, versions, files, recorded_at)
SELECT used.host_id, source.digest, source.program, source.versions, source.files,
       source.recorded_at
FROM build_source AS source
JOIN (
    SELECT trial.host_id, build.value AS digest
    FROM trial CROSS JOIN jsonb_each_text(
        CASE jsonb_typeof(trial.environment -> 'builds')
            WHEN 'object' THEN trial.environment -> 'builds' END
    ) AS build
    UNION
    SELECT incident.host_id, side.value
    FROM incident CROSS JOIN jsonb_each(incident.builds) AS pair
    CROSS JOIN jsonb_each_text(pair.value) AS side
) AS used ON used.digest = source.digest
WHERE source.host_id IS NULL
"""
_KEEP_OLDEST = """
DELETE FROM build_source USING build_source AS other
WHERE other.digest = build_source.digest
AND (other.recorded_at, other.host_id) < (build_source.recorded_at, build_source.host_id)
"""


def upgrade() -> None:
    op.drop_constraint("pk_build_source", "build_source")
    op.add_column("build_source", sa.Column("host_id", sa.Uuid(), nullable=True))
    op.execute(_DIVIDE)
    op.execute("DELETE FROM build_source WHERE host_id IS NULL")
    op.create_primary_key("pk_build_source", "build_source", ["host_id", "digest"])
    op.create_foreign_key(
        "fk_build_source_host_id_host",
        "build_source",
        "host",
        ["host_id"],
        ["id"],
        ondelete="CASCADE",
    )


def downgrade() -> None:
    # They name the column. `tacho migrate` of the earlier version creates its own.
    for command in ("select", "insert"):
        op.execute(f"DROP POLICY IF EXISTS tacho_host_{command} ON build_source")
    op.drop_constraint("pk_build_source", "build_source")
    op.execute(_KEEP_OLDEST)
    op.drop_column("build_source", "host_id")
    op.create_primary_key("pk_build_source", "build_source", ["digest"])
