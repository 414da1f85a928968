"""intervals of few trials and of shares, and loads that were not sent as planned"""

from collections.abc import Sequence

from alembic import op

revision: str = "c6e1f0a92b57"
down_revision: str | None = "b3e07d5c9a14"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# The words with which older versions described a load that the generator could have sent.
_OLD_CAUSE = "so the service or the host was the limit"


def upgrade() -> None:
    op.execute("UPDATE cell_metric SET low = NULL, high = NULL WHERE n < 3 AND low IS NOT NULL")
    op.execute(
        "UPDATE cell_metric SET low = greatest(low, 0), high = least(high, 1) "
        "WHERE metric = 'success_ratio' AND (low < 0 OR high > 1)"
    )
    for table in ("trial", "cell_summary"):
        _rename_verdict(table, "generator_saturated", "rate_missed")


def downgrade() -> None:
    # The intervals are computed again when a run is finalized.
    for table in ("trial", "cell_summary"):
        _rename_verdict(table, "rate_missed", "generator_saturated")


def _rename_verdict(table: str, old: str, new: str) -> None:
    """Rename a verdict where the generator was not the limit; downgrades rename all of them."""
    is_of_cause = f"AND item->>'detail' LIKE '%{_OLD_CAUSE}%'" if new == "rate_missed" else ""
    op.execute(
        f"""
        UPDATE {table} SET verdicts = (
            SELECT jsonb_agg(
                CASE WHEN item->>'verdict' = '{old}' {is_of_cause}
                THEN jsonb_set(item, '{{verdict}}', '"{new}"') ELSE item END
                ORDER BY at
            )
            FROM jsonb_array_elements(verdicts) WITH ORDINALITY AS list(item, at)
        )
        WHERE verdicts @> '[{{"verdict": "{old}"}}]'
        """  # noqa: S608  constants
    )
