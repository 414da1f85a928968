"""indexes of the newest results, and versions of the sources of hosts"""

from collections.abc import Sequence

from alembic import op

revision: str = "a93c51e7d06b"
down_revision: str | None = "e2b7094c51da"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


_SHOWN_OF_HOST = ("name", "runtime", "fingerprint", "fingerprint_digest", "harness")
_TABLES = ("host_framework", "host_scenario")


def upgrade() -> None:
    op.create_index(
        "ix_scheduled_run_schedule_id_host_id_due_at",
        "scheduled_run",
        ["schedule_id", "host_id", "due_at"],
    )
    op.create_index(
        "ix_cell_summary_series",
        "cell_summary",
        ["framework", "scenario", "profile", "host_id", "at", "run_id"],
    )
    _note_changes_of_hosts((*_SHOWN_OF_HOST, "revoked_at", "example"))
    for table in _TABLES:
        op.execute(
            f"CREATE TRIGGER note_rows AFTER INSERT OR DELETE ON {table} FOR EACH ROW "
            "EXECUTE FUNCTION note_topic('sources')"
        )
        op.execute(
            f"CREATE TRIGGER note_changed AFTER UPDATE ON {table} FOR EACH ROW "
            "WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION note_topic('sources')"
        )


def downgrade() -> None:
    for table in _TABLES:
        op.execute(f"DROP TRIGGER note_changed ON {table}")
        op.execute(f"DROP TRIGGER note_rows ON {table}")
    _note_changes_of_hosts(_SHOWN_OF_HOST)
    op.execute("DELETE FROM data_version WHERE topic = 'sources'")
    op.drop_index("ix_cell_summary_series", "cell_summary")
    op.drop_index("ix_scheduled_run_schedule_id_host_id_due_at", "scheduled_run")


def _note_changes_of_hosts(columns: Sequence[str]) -> None:
    """Note changes of these columns of hosts, and of no others, such as heartbeats."""
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    op.execute("DROP TRIGGER note_changed ON host")
    op.execute(
        "CREATE TRIGGER note_changed AFTER UPDATE ON host FOR EACH ROW "
        f"WHEN (({old}) IS DISTINCT FROM ({new})) EXECUTE FUNCTION note_topic('hosts')"
    )
