"""Findings about the claims of a study, and the rule by which an interval decides one; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.units import Metric


class ClaimFinding(StrEnum):
    """Result of a claim.

    UNDECIDABLE: the variant of the reproduction cannot decide it, with any number of trials.
    NOT_CHECKABLE: no data of Tacho can decide it.
    """

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    INCONCLUSIVE = "inconclusive"
    UNDECIDABLE = "undecidable"
    NOT_MEASURED = "not_measured"
    NOT_CHECKABLE = "not_checkable"


@dataclass(frozen=True)
class CheckResult:
    """A comparison in a claim. `low` and `high` are the 95 % interval of `value`.

    `value` is a ratio if `is_ratio`, or else the metric itself. `label` names what was compared.
    For a load in steps, `low` and `high` are the rates between which the highest sustained rate
    is. `value` is the rate that passed, of which short steps prove only a part.
    """

    finding: ClaimFinding
    label: str
    metric: Metric
    is_ratio: bool
    expected: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str | None = None


@dataclass(frozen=True)
class ClaimResult:
    """The result of a claim. `deciding` is the check that shows the most about it."""

    finding: ClaimFinding
    checks: Sequence[CheckResult]
    deciding: CheckResult | None = None


def decide_within(
    low: float | None, high: float | None, bounds: tuple[float, float]
) -> ClaimFinding:
    """Decide whether an interval lies within the bounds, outside of them, or across a bound."""
    if low is None or high is None:
        return ClaimFinding.INCONCLUSIVE
    least, most = bounds
    if least <= low and high <= most:
        return ClaimFinding.HOLDS
    return ClaimFinding.DOES_NOT_HOLD if high < least or low > most else ClaimFinding.INCONCLUSIVE
