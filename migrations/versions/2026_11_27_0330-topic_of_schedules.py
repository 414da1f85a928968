"""the topic of schedules, for what the home page shows of them"""

from collections.abc import Sequence

from alembic import op

revision: str = "f2d7a9c04e68"
down_revision: str | None = "e4a60b8d37f1"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_TABLES = ("schedule", "scheduled_run")
_RUN_EVENTS = {"UPDATE": "NEW", "DELETE": "OLD"}


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
    # The runs that schedules started, with their results.
    for event, row in _RUN_EVENTS.items():
        op.execute(
            f"CREATE TRIGGER note_scheduled_{event.lower()} AFTER {event} ON run FOR EACH ROW "
            f"WHEN ({row}.is_scheduled) EXECUTE FUNCTION note_topic('schedules')"
        )


def downgrade() -> None:
    for event in _RUN_EVENTS:
        op.execute(f"DROP TRIGGER note_scheduled_{event.lower()} ON run")
    for table in _TABLES:
        op.execute(f"DROP TRIGGER note_changed ON {table}")
        op.execute(f"DROP TRIGGER note_rows ON {table}")
    op.execute("DELETE FROM data_version WHERE topic = 'schedules'")
