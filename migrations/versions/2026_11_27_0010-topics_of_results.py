"""narrower topics of results: by framework, by host, and the hosts of a scenario"""

from collections.abc import Sequence

from alembic import op

revision: str = "c83e5d1f7a46"
down_revision: str | None = "b71c4e92f05d"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# `backend.core.stored_documents.subjects` has the names of the topics.
_LIST_TOPICS = """
    CREATE FUNCTION list_result_topics(scenario text, framework text, host_id uuid)
    RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
        VALUES ('results'), ('results:' || scenario),
            ('results:' || scenario || ':framework:' || framework),
            ('results:' || scenario || ':host:' || host_id)
    $$
"""
# A host is new in the list of hosts with results of a scenario if it has no other run that the
# same people see. That run is locked: it must not be hidden or deleted before this transaction
# ends. A run that is being changed does not count, so nothing waits.
_NOTE_RESULTS = """
    CREATE OR REPLACE FUNCTION note_results() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE noted text; own record;
    BEGIN
        FOR noted IN
            SELECT DISTINCT topic FROM changed, LATERAL
                list_result_topics(changed.scenario, changed.framework, changed.host_id) AS topic
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
    END $$
"""
# The hosts of a scenario do not depend on metrics.
_NOTE_METRICS = """
    CREATE FUNCTION note_metrics() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
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
    END $$
"""
_NOTE_RESULTS_OF_RUN = """
    CREATE OR REPLACE FUNCTION note_results_of_run() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
    END $$
"""
_NOTE_CHANGE_POINT = """
    CREATE FUNCTION note_change_point() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE own record;
    BEGIN
        own := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
        PERFORM note_data_version('results:' || own.scenario || ':framework:' || own.framework);
        RETURN NULL;
    END $$
"""
_NEW = (
    "list_result_topics(text, text, uuid)",
    "note_metrics()",
    "note_change_point()",
)
_EARLIER = """
    CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE slug text;
    BEGIN
        FOR slug IN SELECT DISTINCT scenario FROM {results} ORDER BY scenario LOOP
            PERFORM note_data_version('results:' || slug);
        END LOOP;
        RETURN NULL;
    END $$
"""


def upgrade() -> None:
    for function in (
        _LIST_TOPICS,
        _NOTE_RESULTS,
        _NOTE_METRICS,
        _NOTE_RESULTS_OF_RUN,
        _NOTE_CHANGE_POINT,
    ):
        op.execute(function)
    for function in _NEW:
        op.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
    _drop_row_triggers("change", "host_event")
    _note_rows("change", "note_change_point()")
    _note_metrics("note_metrics()")
    # Versions of stored documents name the new topics.
    op.execute("DELETE FROM data_version WHERE topic = 'changes'")


def downgrade() -> None:
    _drop_row_triggers("change")
    for table in ("change", "host_event"):
        _note_rows(table, "note_topic('changes')")
    op.execute(_EARLIER.format(name="note_results", results="changed"))
    op.execute(
        _EARLIER.format(name="note_results_of_run", results="cell_summary WHERE run_id = NEW.id")
    )
    _note_metrics("note_results()")
    for function in reversed(_NEW):
        op.execute(f"DROP FUNCTION {function}")
    op.execute(
        "DELETE FROM data_version WHERE topic = 'results' "
        "OR topic LIKE 'results:%:%' OR topic LIKE 'hosts:%'"
    )


def _drop_row_triggers(*tables: str) -> None:
    for table in tables:
        for trigger in ("note_rows", "note_changed"):
            op.execute(f"DROP TRIGGER {trigger} ON {table}")


def _note_rows(table: str, function: str) -> None:
    """Execute a function for each new, changed and deleted row."""
    op.execute(
        f"CREATE TRIGGER note_rows AFTER INSERT OR DELETE ON {table} FOR EACH ROW "
        f"EXECUTE FUNCTION {function}"
    )
    op.execute(
        f"CREATE TRIGGER note_changed AFTER UPDATE ON {table} FOR EACH ROW "
        f"WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION {function}"
    )


def _note_metrics(function: str) -> None:
    """Execute a function for new, changed and deleted metrics, once per statement."""
    for event, rows in (("insert", "NEW"), ("update", "NEW"), ("delete", "OLD")):
        op.execute(
            f"CREATE OR REPLACE TRIGGER note_{event} AFTER {event} ON cell_metric "
            f"REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {function}"
        )
