"""the topic of results that were replaced or deleted"""

from collections.abc import Sequence

from alembic import op

revision: str = "d4e81b6f0c93"
down_revision: str | None = "a91c7d53e2b0"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# `backend.core.stored_documents.subjects` has the names of the topics. The first finalization of a
# run deletes no result.
_NOTE_REPLACED = """
    CREATE FUNCTION note_replaced_results() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    BEGIN
        IF EXISTS (SELECT FROM changed) THEN
            PERFORM note_data_version('replaced-results');
        END IF;
        RETURN NULL;
    END $$
"""
_EVENTS = ("update", "delete")


def upgrade() -> None:
    op.execute(_NOTE_REPLACED)
    op.execute("REVOKE EXECUTE ON FUNCTION note_replaced_results() FROM PUBLIC")
    for event in _EVENTS:
        op.execute(
            f"CREATE TRIGGER note_replaced_{event} AFTER {event} ON cell_summary "
            "REFERENCING OLD TABLE AS changed FOR EACH STATEMENT "
            "EXECUTE FUNCTION note_replaced_results()"
        )


def downgrade() -> None:
    for event in _EVENTS:
        op.execute(f"DROP TRIGGER note_replaced_{event} ON cell_summary")
    op.execute("DROP FUNCTION note_replaced_results()")
    op.execute("DELETE FROM data_version WHERE topic = 'replaced-results'")
