"""rename `comparison` to `snapshot`, and `retest` to `confirmation`"""

from collections.abc import Sequence

from alembic import op

revision: str = "a94d37e1c52f"
down_revision: str | None = "4c8e1f70b2a6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


_COLUMNS = ("run_id", "ratio", "low", "high", "pairs")


def upgrade() -> None:
    op.rename_table("comparison", "snapshot")
    op.execute("ALTER TABLE snapshot RENAME CONSTRAINT pk_comparison TO pk_snapshot")
    _rename("retest", "confirmation")
    op.execute(
        "UPDATE run SET purpose = 'confirmation', "
        "title = regexp_replace(title, '^Retest: ', 'Confirmation run: ') "
        "WHERE purpose = 'retest'"
    )
    op.execute(
        "UPDATE change SET reason = 'Automatic confirmation runs are off "
        "(TACHO_CONFIRMATION_PAIRS).' "
        "WHERE reason = 'Automatic retests are off (TACHO_RETEST_PAIRS).'"
    )
    op.execute(
        "UPDATE webhook_delivery SET body = replace(body, '\"retest_', '\"confirmation_') "
        "WHERE status = 'pending' AND event = 'change.confirmed'"
    )


def downgrade() -> None:
    op.execute(
        "UPDATE webhook_delivery SET body = replace(body, '\"confirmation_', '\"retest_') "
        "WHERE status = 'pending' AND event = 'change.confirmed'"
    )
    op.execute(
        "UPDATE change SET reason = 'Automatic retests are off (TACHO_RETEST_PAIRS).' "
        "WHERE reason = 'Automatic confirmation runs are off (TACHO_CONFIRMATION_PAIRS).'"
    )
    op.execute(
        "UPDATE run SET purpose = 'retest', "
        "title = regexp_replace(title, '^Confirmation run: ', 'Retest: ') "
        "WHERE purpose = 'confirmation'"
    )
    _rename("confirmation", "retest")
    op.execute("ALTER TABLE snapshot RENAME CONSTRAINT pk_snapshot TO pk_comparison")
    op.rename_table("snapshot", "comparison")


def _rename(old: str, new: str) -> None:
    for column in _COLUMNS:
        op.alter_column("change", f"{old}_{column}", new_column_name=f"{new}_{column}")
    op.execute(
        f"ALTER TABLE change RENAME CONSTRAINT fk_change_{old}_run_id_run "
        f"TO fk_change_{new}_run_id_run"
    )
    op.execute(f"ALTER INDEX ix_change_{old}_run_id RENAME TO ix_change_{new}_run_id")
