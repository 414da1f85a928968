"""states of pairs in snapshots, and sustained rates between the steps that passed and failed"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "7b20c9e4f1d8"
down_revision: str | None = "4d8e1c60b7f2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_STATES = {
    "faster": "difference",
    "slower": "difference",
    "equivalent": "equivalent",
    "inconclusive": "cannot_be_told_apart_yet",
    None: "not_comparable",
}
_WORDS = {
    "equivalent": "equivalent",
    "cannot_be_told_apart_yet": "cannot be told apart yet",
    "not_comparable": "not comparable",
}
# A trial without a sustained rate failed at the first step, and counts as 0. A rate at the last
# step has no upper bound. With fewer than three trials there is no interval.
_BOUND_RATES = """
    UPDATE cell_metric SET
        estimate = found.lowest,
        low = CASE WHEN cell_metric.n >= 3 THEN found.lowest END,
        high = CASE
            WHEN cell_metric.n < 3 OR found.highest >= found.last THEN NULL
            ELSE found.highest + found.step
        END
    FROM (
        SELECT trial.cell_id,
            min(coalesce(metric_value.value, 0)) AS lowest,
            max(metric_value.value) AS highest,
            CAST(cell.parameters->>'step_rps' AS int) AS step,
            CAST(cell.parameters->>'first_rps' AS int)
                + (CAST(cell.parameters->>'steps' AS int) - 1)
                * CAST(cell.parameters->>'step_rps' AS int) AS last
        FROM trial
        JOIN cell ON cell.id = trial.cell_id
        JOIN run ON run.id = trial.run_id
        LEFT JOIN metric_value
            ON metric_value.trial_id = trial.id AND metric_value.metric = 'sustained_rps'
        WHERE cell.kind = 'steps' AND trial.status = 'succeeded' AND (
            run.goal IS NULL
            OR NOT jsonb_path_exists(trial.verdicts, '$[*] ? (@.of_host == true)')
        )
        GROUP BY trial.cell_id, cell.parameters
        HAVING max(metric_value.value) IS NOT NULL
    ) AS found
    WHERE found.cell_id = cell_metric.cell_id AND cell_metric.metric = 'sustained_rps'
"""


def upgrade() -> None:
    op.execute(_BOUND_RATES)
    _change_ratios(_add_state)


def downgrade() -> None:
    """Restore the words of pairs. Estimates of sustained rates stay, and power is not known."""
    _change_ratios(_restore_word)


def _add_state(ratio: dict[str, Any]) -> None:
    word = ratio.pop("word", None)
    ratio.pop("power", None)
    state = _STATES[word]
    size = ratio.get("ratio") or 1 + (ratio.get("difference") or 0)
    ratio["state"] = state
    ratio["is_better"] = word == "faster" if state == "difference" else None
    ratio["text"] = _show(ratio)
    ratio["words"] = _WORDS.get(state) or ("higher" if size > 1 else "lower")
    is_undecided = state == "cannot_be_told_apart_yet"
    ratio["explanation"] = "Too few trials, or too much noise." if is_undecided else None
    ratio["trials_needed"] = None


def _restore_word(ratio: dict[str, Any]) -> None:
    state, is_better = ratio.pop("state"), ratio.pop("is_better")
    words = {found: word for word, found in _STATES.items() if found != "difference"}
    ratio["word"] = ("faster" if is_better else "slower") if is_better is not None else words[state]
    ratio["power"] = None
    for name in ("text", "words", "explanation", "trials_needed"):
        ratio.pop(name)


def _show(ratio: dict[str, Any]) -> str:
    """Return the ratio with its interval, or the difference in percentage points."""
    is_share = ratio.get("ratio") is None
    centre = (ratio.get("difference") or 0.0) if is_share else ratio["ratio"]
    figures = [centre, ratio.get("low"), ratio.get("high")]
    shown = [
        None if figure is None else f"{100 * figure:+.3g}" if is_share else f"{figure:.3g}"
        for figure in figures
    ]
    value = f"{shown[0]} pp" if is_share else f"{shown[0]}×"
    return value if None in shown[1:] else f"{value} [{shown[1]}, {shown[2]}]"


def _change_ratios(change: Callable[[dict[str, Any]], None]) -> None:
    """Change each ratio in each snapshot. The hash stays: it is part of the link."""
    connection = op.get_bind()
    for digest in connection.scalars(sa.text("SELECT hash FROM snapshot")).all():
        text = connection.scalar(
            sa.text("SELECT document FROM snapshot WHERE hash = :hash"), {"hash": digest}
        )
        document = json.loads(text)
        for pair in document.get("comparison", {}).get("pairs", []):
            for ratio in pair["ratios"].values():
                change(ratio)
        changed = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        connection.execute(
            sa.text("UPDATE snapshot SET document = :document WHERE hash = :hash"),
            {"document": changed, "hash": digest},
        )
