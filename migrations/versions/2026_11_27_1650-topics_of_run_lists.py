"""the topics of runs by framework and by scenario"""

from collections.abc import Sequence

from alembic import op

revision: str = "a91c7d53e2b0"
down_revision: str | None = "f2d7a9c04e68"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# `backend.core.stored_documents.subjects` has the names of the topics.
_NOTE_RUNS = """
    CREATE FUNCTION {name} RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE noted text;
    BEGIN
        FOR noted IN
            SELECT 'runs:framework:' || own.framework_id FROM {cells}
            UNION SELECT 'runs:scenario:' || own.scenario_id FROM {cells}
            ORDER BY 1
        LOOP
            PERFORM note_data_version(noted);
        END LOOP;
        RETURN NULL;
    END $$
"""
_OF_CELLS = "note_runs_of_cells()"
_OF_RUNS = "note_runs()"
# The cells of a run are added and deleted with it, and never change.
_TRIGGERS = (
    ("cell", "insert", "NEW", _OF_CELLS),
    ("cell", "delete", "OLD", _OF_CELLS),
    ("run", "update", "NEW", _OF_RUNS),
)


def upgrade() -> None:
    op.execute(_NOTE_RUNS.format(name=_OF_CELLS, cells="changed AS own"))
    of_runs = "cell AS own JOIN changed ON changed.id = own.run_id"
    op.execute(_NOTE_RUNS.format(name=_OF_RUNS, cells=of_runs))
    for function in (_OF_CELLS, _OF_RUNS):
        op.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")
    for table, event, rows, function in _TRIGGERS:
        op.execute(
            f"CREATE TRIGGER note_runs_{event} AFTER {event} ON {table} "
            f"REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {function}"
        )


def downgrade() -> None:
    for table, event, _, _ in _TRIGGERS:
        op.execute(f"DROP TRIGGER note_runs_{event} ON {table}")
    for function in (_OF_CELLS, _OF_RUNS):
        op.execute(f"DROP FUNCTION {function}")
    op.execute("DELETE FROM data_version WHERE topic LIKE 'runs:%'")
