"""no documents are stored any more: drop their table, the versions of data, and the triggers"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "9c3b7e51d2a8"
down_revision: str | None = "e7a2c5904b1d"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"
# Signature, and the rest of the definition. The first two are used by the others.
_FUNCTIONS = {
    "note_data_version(changed text)": """
        RETURNS void LANGUAGE plpgsql {definer} AS $$
        BEGIN
            DELETE FROM data_version WHERE id IN (
                SELECT id FROM data_version WHERE topic = changed FOR UPDATE SKIP LOCKED
            );
            INSERT INTO data_version (topic) VALUES (changed);
        END
        $$
    """,
    "list_result_topics(scenario text, framework text, host_id uuid)": """
        RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
        VALUES ('results'), ('results:' || scenario),
            ('results:' || scenario || ':framework:' || framework),
            ('results:' || scenario || ':host:' || host_id)
        $$
    """,
    "note_change_point()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        DECLARE own record;
        BEGIN
            own := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
            PERFORM note_data_version('results:' || own.scenario || ':framework:' || own.framework);
            RETURN NULL;
        END
        $$
    """,
    "note_metrics()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        DECLARE noted text;
        BEGIN
            FOR noted IN
                SELECT DISTINCT topic FROM cell_summary AS own, LATERAL
                    list_result_topics(own.scenario, own.framework, own.host_id) AS topic
                WHERE own.cell_id IN (SELECT cell_id FROM changed) ORDER BY topic
            LOOP
                PERFORM note_data_version(noted);
            END LOOP;
            RETURN NULL;
        END
        $$
    """,
    "note_replaced_results()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        BEGIN
            IF EXISTS (SELECT FROM changed) THEN
                PERFORM note_data_version('replaced-results');
            END IF;
            RETURN NULL;
        END
        $$
    """,
    "note_results()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        DECLARE noted text; own record;
        BEGIN
            FOR noted IN
                SELECT DISTINCT topic FROM changed AS own, LATERAL
                    list_result_topics(own.scenario, own.framework, own.host_id) AS topic
                ORDER BY topic
            LOOP
                PERFORM note_data_version(noted);
            END LOOP;
            FOR own IN
                SELECT DISTINCT changed.scenario, changed.host_id, changed.workspace_id,
                    changed.run_id, run.purpose, run.visibility
                FROM changed LEFT JOIN run ON run.id = changed.run_id ORDER BY changed.scenario
            LOOP
                IF TG_OP = 'INSERT' THEN
                    PERFORM FROM cell_summary AS other JOIN run ON run.id = other.run_id
                    WHERE other.scenario = own.scenario AND other.host_id = own.host_id
                        AND other.workspace_id = own.workspace_id AND other.run_id <> own.run_id
                        AND run.purpose = own.purpose AND run.visibility = own.visibility
                    LIMIT 1 FOR SHARE OF run SKIP LOCKED;
                    CONTINUE WHEN FOUND;
                END IF;
                PERFORM note_data_version('hosts:' || own.scenario);
            END LOOP;
            RETURN NULL;
        END
        $$
    """,
    "note_results_of_run()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        DECLARE noted text;
        BEGIN
            FOR noted IN
                SELECT topic FROM cell_summary AS own, LATERAL
                    list_result_topics(own.scenario, own.framework, own.host_id) AS topic
                WHERE own.run_id = NEW.id
                UNION SELECT 'hosts:' || own.scenario FROM cell_summary AS own
                WHERE own.run_id = NEW.id
                ORDER BY 1
            LOOP
                PERFORM note_data_version(noted);
            END LOOP;
            RETURN NULL;
        END
        $$
    """,
    "note_runs()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        DECLARE noted text;
        BEGIN
            FOR noted IN
                SELECT 'runs:framework:' || own.framework_id FROM cell AS own
                JOIN changed ON changed.id = own.run_id
                UNION SELECT 'runs:scenario:' || own.scenario_id FROM cell AS own
                JOIN changed ON changed.id = own.run_id
                ORDER BY 1
            LOOP
                PERFORM note_data_version(noted);
            END LOOP;
            RETURN NULL;
        END
        $$
    """,
    "note_runs_of_cells()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        DECLARE noted text;
        BEGIN
            FOR noted IN
                SELECT 'runs:framework:' || own.framework_id FROM changed AS own
                UNION SELECT 'runs:scenario:' || own.scenario_id FROM changed AS own
                ORDER BY 1
            LOOP
                PERFORM note_data_version(noted);
            END LOOP;
            RETURN NULL;
        END
        $$
    """,
    "note_topic()": """
        RETURNS trigger LANGUAGE plpgsql {definer} AS $$
        BEGIN
            PERFORM note_data_version(TG_ARGV[0]);
            RETURN NULL;
        END
        $$
    """,
}
_OF_HOST = (
    *("name", "runtime", "fingerprint", "fingerprint_digest", "harness", "revoked_at", "example"),
    *("runtime_reason", "service_address", "reserved_for", "joined_at"),
)
# Table -> the function for each new, changed and deleted row, and the columns that count.
_ROWS = {
    "change": ("note_change_point()", ()),
    "framework": ("note_topic('catalogue')", ()),
    "host": ("note_topic('hosts')", _OF_HOST),
    "host_framework": ("note_topic('sources')", ()),
    "host_scenario": ("note_topic('sources')", ()),
    "scenario": ("note_topic('catalogue')", ()),
    "schedule": ("note_topic('schedules')", ()),
    "scheduled_run": ("note_topic('schedules')", ()),
    "slo": ("note_topic('limits')", ()),
}
# Table, trigger, event, rows, function for each statement.
_STATEMENTS = (
    ("cell", "note_runs_delete", "DELETE", "OLD", "note_runs_of_cells()"),
    ("cell", "note_runs_insert", "INSERT", "NEW", "note_runs_of_cells()"),
    ("cell_metric", "note_delete", "DELETE", "OLD", "note_metrics()"),
    ("cell_metric", "note_insert", "INSERT", "NEW", "note_metrics()"),
    ("cell_metric", "note_update", "UPDATE", "NEW", "note_metrics()"),
    ("cell_summary", "note_delete", "DELETE", "OLD", "note_results()"),
    ("cell_summary", "note_insert", "INSERT", "NEW", "note_results()"),
    ("cell_summary", "note_update", "UPDATE", "NEW", "note_results()"),
    ("cell_summary", "note_replaced_delete", "DELETE", "OLD", "note_replaced_results()"),
    ("cell_summary", "note_replaced_update", "UPDATE", "OLD", "note_replaced_results()"),
    ("run", "note_runs_update", "UPDATE", "NEW", "note_runs()"),
)
# Trigger, event, condition, function for each row of `run`.
_RUNS = (
    *(
        (
            f"note_calibration_{event.lower()}",
            event,
            f"{row}.purpose = 'calibration'",
            "note_topic('hosts')",
        )
        for event, row in (("DELETE", "OLD"), ("INSERT", "NEW"), ("UPDATE", "NEW"))
    ),
    ("note_scheduled_delete", "DELETE", "OLD.is_scheduled", "note_topic('schedules')"),
    ("note_scheduled_update", "UPDATE", "NEW.is_scheduled", "note_topic('schedules')"),
)
_SHOWN_OF_RUN = ("title", "visibility", "purpose", "slug")


def upgrade() -> None:
    names = ", ".join(reversed(_FUNCTIONS))
    # With the triggers that call them.
    op.execute(f"DROP FUNCTION {names} CASCADE")
    op.drop_table("data_version")
    op.drop_table("stored_document")


def downgrade() -> None:
    _create_tables()
    for signature, rest in _FUNCTIONS.items():
        op.execute(f"CREATE FUNCTION {signature} {rest.format(definer=_DEFINER)}")
        op.execute(f"REVOKE EXECUTE ON FUNCTION {signature} FROM PUBLIC")
    for table, (function, columns) in _ROWS.items():
        op.execute(
            f"CREATE TRIGGER note_rows AFTER INSERT OR DELETE ON {table} FOR EACH ROW "
            f"EXECUTE FUNCTION {function}"
        )
        op.execute(
            f"CREATE TRIGGER note_changed AFTER UPDATE ON {table} FOR EACH ROW "
            f"WHEN ({_differs(columns)}) EXECUTE FUNCTION {function}"
        )
    for table, trigger, event, rows, function in _STATEMENTS:
        op.execute(
            f"CREATE TRIGGER {trigger} AFTER {event} ON {table} "
            f"REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {function}"
        )
    shown = ("note_shown", "UPDATE", _differs(_SHOWN_OF_RUN), "note_results_of_run()")
    for trigger, event, condition, function in (*_RUNS, shown):
        op.execute(
            f"CREATE TRIGGER {trigger} AFTER {event} ON run FOR EACH ROW WHEN ({condition}) "
            f"EXECUTE FUNCTION {function}"
        )


def _create_tables() -> None:
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
    op.execute("ALTER TABLE stored_document ALTER COLUMN body SET STORAGE EXTERNAL")
    op.create_table(
        "data_version",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_data_version"),
    )
    op.create_index("ix_data_version_topic", "data_version", ["topic"])


def _differs(columns: Sequence[str]) -> str:
    if not columns:
        return "OLD.* IS DISTINCT FROM NEW.*"
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"
