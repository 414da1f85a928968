"""incidents of changes, and the sources of builds"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "b3e07d5c9a14"
down_revision: str | None = "b41f6c20d9a7"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_OPEN = "status IN ('suspected', 'testing') OR (status = 'confirmed' AND acknowledged_at IS NULL)"
_CHANGES = """
SELECT change.id, change.host_id, change.framework, change.at, change.status, change.changed_at,
       host_event.run_id AS event_run, cell.run_id AS after_run,
       (SELECT environment -> 'builds' FROM trial
        WHERE cell_id = change.before_cell_id AND status = 'succeeded' LIMIT 1) AS before,
       (SELECT environment -> 'builds' FROM trial
        WHERE cell_id = change.after_cell_id AND status = 'succeeded' LIMIT 1) AS after
FROM change
JOIN cell ON cell.id = change.after_cell_id
LEFT JOIN host_event ON host_event.id = change.host_event_id
ORDER BY change.at
"""


def upgrade() -> None:
    op.create_table(
        "build_source",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("program", sa.String(), nullable=False),
        sa.Column("versions", JSONB, nullable=False),
        sa.Column("files", JSONB, nullable=False),
        _now("recorded_at"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_build_source")),
    )
    op.create_table(
        "incident",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("host_id", sa.Uuid(), nullable=False),
        sa.Column("framework", sa.String(), nullable=True),
        _time("at", nullable=False),
        sa.Column("builds", JSONB, server_default="{}", nullable=False),
        sa.Column("note", sa.String(), nullable=True),
        _time("announced_at"),
        _now("found_at"),
        sa.ForeignKeyConstraint(
            ["host_id"], ["host.id"], name=op.f("fk_incident_host_id_host"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incident")),
    )
    op.create_check_constraint("incidentkind", "incident", "kind IN ('service', 'host')")
    op.create_index("ix_incident_at_id", "incident", ["at", "id"])
    op.create_index("ix_incident_host_id_framework_at", "incident", ["host_id", "framework", "at"])
    op.add_column("change", _time("acknowledged_at"))
    op.add_column("change", sa.Column("incident_id", sa.Uuid(), nullable=True))
    _group_changes()
    op.alter_column("change", "incident_id", nullable=False)
    op.create_foreign_key(
        op.f("fk_change_incident_id_incident"),
        "change",
        "incident",
        ["incident_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index(op.f("ix_change_incident_id"), "change", ["incident_id"])
    op.create_index("ix_change_open", "change", ["incident_id"], postgresql_where=sa.text(_OPEN))


def downgrade() -> None:
    op.drop_index("ix_change_open", "change")
    op.drop_column("change", "incident_id")
    op.drop_column("change", "acknowledged_at")
    op.drop_table("incident")
    op.drop_table("build_source")


def _time(name: str, *, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _now(name: str) -> sa.Column[Any]:
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )


def _group_changes() -> None:
    """Put changes with the same build, or of the same host event, into one incident."""
    connection = op.get_bind()
    incidents: dict[object, UUID] = {}
    for change in connection.execute(sa.text(_CHANGES)).mappings().all():
        builds = _compare(change["before"], change["after"])
        key = _find_key(change, builds)
        if key not in incidents:
            incidents[key] = _insert_incident(connection, change, builds)
        incident_id = incidents[key]
        connection.execute(
            sa.text("UPDATE change SET incident_id = :incident WHERE id = :id"),
            {"incident": incident_id, "id": change["id"]},
        )
        if change["status"] == "confirmed":
            connection.execute(
                sa.text(
                    "UPDATE incident SET announced_at = coalesce(announced_at, :at) WHERE id = :id"
                ),
                {"at": change["changed_at"], "id": incident_id},
            )


def _find_key(change: Any, builds: dict[str, dict[str, str]]) -> object:
    if change["event_run"] is not None:
        return ("host", change["event_run"])
    own = (change["host_id"], change["framework"])
    if not builds:
        return (*own, change["after_run"])
    slug = change["framework"] if change["framework"] in builds else min(builds)
    return (*own, slug, builds[slug]["before"], builds[slug]["after"])


def _insert_incident(
    connection: sa.Connection, change: Any, builds: dict[str, dict[str, str]]
) -> UUID:
    incident_id = uuid4()
    is_host = change["event_run"] is not None
    table = sa.table(
        "incident",
        sa.column("id", sa.Uuid()),
        sa.column("kind"),
        sa.column("host_id", sa.Uuid()),
        sa.column("framework"),
        sa.column("at"),
        sa.column("builds", JSONB),
    )
    values = {
        "id": incident_id,
        "kind": "host" if is_host else "service",
        "host_id": change["host_id"],
        "framework": None if is_host else change["framework"],
        "at": change["at"],
        "builds": {} if is_host else builds,
    }
    connection.execute(table.insert().values(values))
    return incident_id


def _compare(
    before: dict[str, str] | None, after: dict[str, str] | None
) -> dict[str, dict[str, str]]:
    if not before or not after:
        return {}
    return {
        slug: {"before": before[slug], "after": after[slug]}
        for slug in sorted(before.keys() & after.keys())
        if before[slug] != after[slug]
    }
