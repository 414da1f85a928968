"""mark results whose steadiness could not be tested, and exclude unsteady results from ranking"""

from collections.abc import Sequence

from alembic import op

revision: str = "4d8e1c60b7f2"
down_revision: str | None = "e91c4b07a5d3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# At least 10 s of a window or of a step are tested, and the last 10 s of a warm-up of at most 28 s
# or more. A load of a count may end within seconds: then its warm-up decides. Earlier versions
# tested no warm-up of steps.
_MARK_TRIALS = """
    UPDATE trial SET verdicts = trial.verdicts || jsonb_build_array(jsonb_build_object(
        'verdict', 'steadiness_not_tested',
        'detail', 'An earlier version of Tacho measured this trial in too few seconds to see '
            'whether the load was steady.',
        'of_host', false
    ))
    FROM cell
    WHERE cell.id = trial.cell_id
        AND trial.status = 'succeeded'
        AND NOT jsonb_path_exists(trial.verdicts, '$[*] ? (@.verdict == "never_steady")')
        AND CASE cell.kind
            WHEN 'steps' THEN true
            WHEN 'count' THEN CAST(cell.parameters->>'warm_up_seconds' AS int) < 28 AND (
                SELECT count(*) FROM sample
                WHERE sample.trial_id = trial.id AND sample.phase = 'measure'
            ) < 10
            ELSE CAST(cell.parameters->>'duration_seconds' AS int) < 10
        END
"""
# A summary with another verdict does not have the verdict `ok`.
_MARK_SUMMARIES = """
    UPDATE cell_summary SET verdicts = jsonb_build_array(found.verdict) || coalesce((
        SELECT jsonb_agg(item) FROM jsonb_array_elements(cell_summary.verdicts) AS item
        WHERE item->>'verdict' <> 'ok'
    ), '[]')
    FROM (
        SELECT trial.cell_id, jsonb_build_object(
            'verdict', item->>'verdict', 'detail', min(item->>'detail'), 'trials', count(*)
        ) AS verdict
        FROM trial, jsonb_array_elements(trial.verdicts) AS item
        WHERE trial.status = 'succeeded' AND item->>'verdict' = 'steadiness_not_tested'
        GROUP BY trial.cell_id, item->>'verdict'
    ) AS found
    WHERE found.cell_id = cell_summary.cell_id
"""
# One of five trials may be unsteady by chance.
_EXCLUDE = """
    UPDATE cell_summary SET excluded = true
    WHERE NOT excluded AND EXISTS (
        SELECT FROM jsonb_array_elements(verdicts) AS item
        WHERE item->>'verdict' = 'steadiness_not_tested' OR (
            item->>'verdict' = 'never_steady'
            AND CAST(item->>'trials' AS int) * 5 > trials_succeeded
        )
    )
"""


def upgrade() -> None:
    for statement in (_MARK_TRIALS, _MARK_SUMMARIES, _EXCLUDE):
        op.execute(statement)


def downgrade() -> None:
    """Remove the verdict. Summaries stay excluded."""
    for table in ("trial", "cell_summary"):
        op.execute(
            f"UPDATE {table} SET verdicts = "  # noqa: S608
            "jsonb_path_query_array(verdicts, '$[*] ? (@.verdict != \"steadiness_not_tested\")') "
            "WHERE jsonb_path_exists("
            "verdicts, '$[*] ? (@.verdict == \"steadiness_not_tested\")')"
        )
