"""documents that are stored ready to send, and the versions of what they depend on"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b64e0f7a2c19"
down_revision: str | None = "c6e1f0a92b57"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_FUNCTIONS = (
    """
    CREATE FUNCTION note_data_version(changed text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        DELETE FROM data_version WHERE id IN (
            SELECT id FROM data_version WHERE topic = changed FOR UPDATE SKIP LOCKED
        );
        INSERT INTO data_version (topic) VALUES (changed);
    END $$
    """,
    """
    CREATE FUNCTION note_topic() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM note_data_version(TG_ARGV[0]);
        RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION note_results() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE slug text;
    BEGIN
        FOR slug IN SELECT DISTINCT scenario FROM changed ORDER BY scenario LOOP
            PERFORM note_data_version('results:' || slug);
        END LOOP;
        RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION note_results_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE slug text;
    BEGIN
        FOR slug IN SELECT DISTINCT scenario FROM cell_summary WHERE run_id = NEW.id
        ORDER BY scenario LOOP
            PERFORM note_data_version('results:' || slug);
        END LOOP;
        RETURN NULL;
    END $$
    """,
)

# Table -> topic, and the columns that documents show; without columns, all of them.
_TOPICS = {
    "framework": ("catalogue", ()),
    "scenario": ("catalogue", ()),
    "slo": ("limits", ()),
    "change": ("changes", ()),
    "host_event": ("changes", ()),
    "host": ("hosts", ("name", "runtime", "fingerprint", "fingerprint_digest", "harness")),
}
_SHOWN_OF_RUN = ("title", "visibility", "purpose", "slug")


def upgrade() -> None:
    op.create_table(
        "stored_document",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "stored_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("key", name="pk_stored_document"),
        prefixes=["UNLOGGED"],
    )
    op.create_index("ix_stored_document_stored_at", "stored_document", ["stored_at"])
    # Bodies are compressed already.
    op.execute("ALTER TABLE stored_document ALTER COLUMN body SET STORAGE EXTERNAL")
    op.create_table(
        "data_version",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_data_version"),
    )
    op.create_index("ix_data_version_topic", "data_version", ["topic"])
    for function in _FUNCTIONS:
        op.execute(function)
    for table, (topic, columns) in _TOPICS.items():
        _note_rows(table, topic, columns)
    for table in ("cell_summary", "cell_metric"):
        _note_results(table)
    op.execute(
        "CREATE TRIGGER note_shown AFTER UPDATE ON run FOR EACH ROW "
        f"WHEN ({_differs(_SHOWN_OF_RUN)}) EXECUTE FUNCTION note_results_of_run()"
    )
    # The error of a host's load generator comes from its newest calibration.
    for event, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER note_calibration_{event.lower()} AFTER {event} ON run FOR EACH ROW "
            f"WHEN ({row}.purpose = 'calibration') EXECUTE FUNCTION note_topic('hosts')"
        )


def downgrade() -> None:
    op.execute(
        "DROP FUNCTION note_topic(), note_results(), note_results_of_run(), "
        "note_data_version(text) CASCADE"
    )
    op.drop_table("data_version")
    op.drop_table("stored_document")


def _note_rows(table: str, topic: str, columns: Sequence[str]) -> None:
    """Note each new, changed and deleted row of a small table."""
    op.execute(
        f"CREATE TRIGGER note_rows AFTER INSERT OR DELETE ON {table} FOR EACH ROW "
        f"EXECUTE FUNCTION note_topic('{topic}')"
    )
    op.execute(
        f"CREATE TRIGGER note_changed AFTER UPDATE ON {table} FOR EACH ROW "
        f"WHEN ({_differs(columns)}) EXECUTE FUNCTION note_topic('{topic}')"
    )


def _note_results(table: str) -> None:
    """Note the scenarios of new, changed and deleted results, once per statement."""
    for event, rows in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER note_{event.lower()} AFTER {event} ON {table} "
            f"REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT "
            "EXECUTE FUNCTION note_results()"
        )


def _differs(columns: Sequence[str]) -> str:
    if not columns:
        return "OLD.* IS DISTINCT FROM NEW.*"
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"
