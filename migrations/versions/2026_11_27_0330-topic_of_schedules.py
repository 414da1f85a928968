"""the topic of schedules, and further columns in that of hosts"""

from collections.abc import Sequence

from alembic import op

revision: str = "f2d7a9c04e68"
down_revision: str | None = "e4a60b8d37f1"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_TABLES = ("schedule", "scheduled_run")
_RUN_EVENTS = {"UPDATE": "NEW", "DELETE": "OLD"}
# The list of hosts shows all of them. Heartbeats change other columns.
_NOTED_OF_HOST = (
    "name",
    "runtime",
    "fingerprint",
    "fingerprint_digest",
    "harness",
    "revoked_at",
    "example",
)
_NEW_OF_HOST = ("runtime_reason", "service_address", "reserved_for", "joined_at")


def upgrade() -> None:
    for table in _TABLES:
        op.execute(
            f"CREATE TRIGGER note_rows AFTER INSERT OR DELETE ON {table} FOR EACH ROW "
            "EXECUTE FUNCTION note_topic('schedules')"
        )
        op.execute(
            f"CREATE TRIGGER note_changed AFTER UPDATE ON {table} FOR EACH ROW "
            "WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION note_topic('schedules')"
        )
    _note_changes_of_hosts((*_NOTED_OF_HOST, *_NEW_OF_HOST))
    # The runs that schedules started, with their results.
    for event, row in _RUN_EVENTS.items():
        op.execute(
            f"CREATE TRIGGER note_scheduled_{event.lower()} AFTER {event} ON run FOR EACH ROW "
            f"WHEN ({row}.is_scheduled) EXECUTE FUNCTION note_topic('schedules')"
        )


def downgrade() -> None:
    _note_changes_of_hosts(_NOTED_OF_HOST)
    for event in _RUN_EVENTS:
        op.execute(f"DROP TRIGGER note_scheduled_{event.lower()} ON run")
    for table in _TABLES:
        op.execute(f"DROP TRIGGER note_changed ON {table}")
        op.execute(f"DROP TRIGGER note_rows ON {table}")
    op.execute("DELETE FROM data_version WHERE topic = 'schedules'")


def _note_changes_of_hosts(columns: Sequence[str]) -> None:
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    op.execute("DROP TRIGGER note_changed ON host")
    op.execute(
        "CREATE TRIGGER note_changed AFTER UPDATE ON host FOR EACH ROW "
        f"WHEN (({old}) IS DISTINCT FROM ({new})) EXECUTE FUNCTION note_topic('hosts')"
    )
