"""the workspaces of private runs of snapshots that were deleted"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b27d4f90a6c8"
down_revision: str | None = "b3f7a1d95c42"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# A trigger, because runs are deleted in several places.
_NOTE_OWNERS = """
    CREATE FUNCTION note_owners_of_deleted_runs() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    BEGIN
        UPDATE snapshot SET private_owners = array(
            SELECT unnest(snapshot.private_owners) UNION SELECT deleted.workspace_id FROM deleted
            WHERE deleted.visibility = 'private' AND deleted.id = ANY(snapshot.run_ids))
        WHERE EXISTS (SELECT FROM deleted
            WHERE deleted.visibility = 'private' AND deleted.id = ANY(snapshot.run_ids));
        RETURN NULL;
    END $$
"""
# Deleted runs that were private when the snapshot was saved.
_HIDDEN_BEFORE = """
    UPDATE snapshot SET private_owners = ARRAY[workspace_id]
    WHERE is_private AND EXISTS (SELECT FROM unnest(run_ids) AS named(id)
        WHERE NOT EXISTS (SELECT FROM run WHERE run.id = named.id))
"""
# Deleted runs that were private when their visibility changed for the last time.
_HIDDEN_LATER = """
    WITH newest AS (
        SELECT DISTINCT ON (subject_id) subject_id, workspace_id,
            after ->> 'visibility' AS visibility
        FROM audit_event
        WHERE action = 'run.changed' AND after ? 'visibility'
            AND NOT EXISTS (SELECT FROM run WHERE run.id::text = subject_id)
        ORDER BY subject_id, at DESC, id DESC
    )
    UPDATE snapshot SET private_owners = array(
        SELECT unnest(snapshot.private_owners) UNION SELECT newest.workspace_id FROM newest
        WHERE newest.visibility = 'private' AND newest.workspace_id IS NOT NULL
            AND newest.subject_id::uuid = ANY(snapshot.run_ids))
    WHERE EXISTS (SELECT FROM newest WHERE newest.visibility = 'private'
        AND newest.subject_id::uuid = ANY(snapshot.run_ids))
"""


def upgrade() -> None:
    op.add_column(
        "snapshot",
        sa.Column("private_owners", sa.ARRAY(sa.Uuid()), server_default="{}", nullable=False),
    )
    op.execute(_HIDDEN_BEFORE)
    op.execute(_HIDDEN_LATER)
    op.drop_column("snapshot", "is_private")
    op.execute(_NOTE_OWNERS)
    op.execute("REVOKE EXECUTE ON FUNCTION note_owners_of_deleted_runs() FROM PUBLIC")
    op.execute(
        "CREATE TRIGGER note_owners_of_deleted AFTER DELETE ON run "
        "REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT "
        "EXECUTE FUNCTION note_owners_of_deleted_runs()"
    )


def downgrade() -> None:
    op.execute("DROP TRIGGER note_owners_of_deleted ON run")
    op.execute("DROP FUNCTION note_owners_of_deleted_runs()")
    op.add_column(
        "snapshot", sa.Column("is_private", sa.Boolean(), server_default="false", nullable=False)
    )
    op.alter_column("snapshot", "is_private", server_default=None)
    op.execute(
        "UPDATE snapshot SET is_private = private_owners <> '{}' OR EXISTS (SELECT FROM run "
        "WHERE run.id = ANY(snapshot.run_ids) AND run.visibility = 'private')"
    )
    op.drop_column("snapshot", "private_owners")
