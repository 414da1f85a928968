"""Findings about the claims of a study, and the sentences that its page begins with; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.catalog.study_claims import PublishedClaim
from backend.core.numbers import format_value, join_words
from backend.core.units import METRICS, Metric


class ClaimFinding(StrEnum):
    """Result of a claim, or of one of its checks."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    UNDECIDED = "undecided"


class FindingCause(StrEnum):
    """Why a claim does not hold or is undecided. The first of them is the cause of a whole claim.

    CONTRADICTED: the results here contradict the study.
    DIFFERENT_SYSTEM: the study declares that a framework is not the system that it measured.
    HOST_TOO_SMALL: the CPUs of this host limited the service or the load.
    NOT_STEADY: a result was not measured in a steady state.
    EXCLUDED: a result is excluded for another reason.
    UNDECIDABLE: the variant of the reproduction cannot decide it, with any number of trials.
    NOT_MEASURED: a result is missing.
    TOO_FEW_TRIALS: more trials may decide it.
    INTERVAL_TOO_WIDE: the interval contains values for and against it.
    NOT_CHECKABLE: no data of Tacho can decide it.
    """

    CONTRADICTED = "contradicted"
    DIFFERENT_SYSTEM = "different_system"
    HOST_TOO_SMALL = "host_too_small"
    NOT_STEADY = "not_steady"
    EXCLUDED = "excluded"
    UNDECIDABLE = "undecidable"
    NOT_MEASURED = "not_measured"
    TOO_FEW_TRIALS = "too_few_trials"
    INTERVAL_TOO_WIDE = "interval_too_wide"
    NOT_CHECKABLE = "not_checkable"

    @property
    def words(self) -> str:
        """Return the cause as words in the middle of a sentence: `host too small`."""
        if self is FindingCause.UNDECIDABLE:
            return "not decidable by this variant"
        return self.value.replace("_", " ")


# With these causes, another recording on the same host would find the same.
EXPLAINED = frozenset(
    {
        FindingCause.CONTRADICTED,
        FindingCause.DIFFERENT_SYSTEM,
        FindingCause.HOST_TOO_SMALL,
        FindingCause.NOT_STEADY,
        FindingCause.NOT_CHECKABLE,
    }
)


@dataclass(frozen=True)
class MeasuredValue:
    """The value of a system in a check, in the unit of the metric."""

    system: str
    value: float


@dataclass(frozen=True)
class CheckResult:
    """A comparison in a claim. `low` and `high` are the 95 % interval of `value`.

    `cause` is None if it holds. `value` is a ratio if `is_ratio`, or else the metric itself or a
    difference of shares. `label` names what was compared, and `measured` are the compared values.
    For a load in steps, `low` and `high` are the rates between which the highest sustained rate
    is. `value` is the rate that passed, of which short steps prove only a part.
    """

    finding: ClaimFinding
    label: str
    metric: Metric
    is_ratio: bool
    expected: str
    cause: FindingCause | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str | None = None
    measured: Sequence[MeasuredValue] = ()


@dataclass(frozen=True)
class ClaimResult:
    """The result of a claim. `deciding` is the check that shows the most about it.

    `measured` are the values of that check and of the same check against other systems.
    """

    finding: ClaimFinding
    cause: FindingCause | None
    checks: Sequence[CheckResult]
    deciding: CheckResult | None = None
    measured: Sequence[MeasuredValue] = ()


def decide_within(
    low: float | None, high: float | None, bounds: tuple[float, float]
) -> ClaimFinding:
    """Decide whether an interval lies within the bounds, outside of them, or across a bound."""
    if low is None or high is None:
        return ClaimFinding.UNDECIDED
    least, most = bounds
    if least <= low and high <= most:
        return ClaimFinding.HOLDS
    return ClaimFinding.DOES_NOT_HOLD if high < least or low > most else ClaimFinding.UNDECIDED


# A sentence with more values is hard to read.
_MOST_VALUES = 4

Judged = tuple[PublishedClaim, ClaimResult]


def write_lead(claims: Sequence[Judged]) -> list[str]:
    """Return what is still true of a study, and for each cause what is not.

    The first sentence is about what is true, or explains why nothing is. The list is empty without
    a headline claim.

    Args:
        claims: all claims of the study with their results.
    """
    headlines = [(claim, result) for claim, result in claims if claim.headline]
    if not headlines:
        return []
    true = [pair for pair in headlines if pair[1].finding is ClaimFinding.HOLDS]
    others = [pair for pair in headlines if pair[1].finding is not ClaimFinding.HOLDS]
    first = f"Still true: {_list_claims(true)}" if true else _explain_none(others)
    sentences = [first]
    for cause in FindingCause:
        of_cause = [pair for pair in others if pair[1].cause is cause]
        if of_cause:
            words = cause.words[0].upper() + cause.words[1:]
            sentences.append(f"{words}: {_list_claims(of_cause)}")
    return sentences


def _explain_none(headlines: Sequence[Judged]) -> str:
    """Return that no headline claim holds, with the causes."""
    counts = {
        cause: sum(result.cause is cause for _, result in headlines) for cause in FindingCause
    }
    causes = join_words([f"{count} × {cause.words}" for cause, count in counts.items() if count])
    return f"No headline claim of this study is confirmed here ({causes})."


def _list_claims(claims: Sequence[Judged]) -> str:
    return " ".join(f"{claim.words.rstrip('.')}{_show_values(result)}." for claim, result in claims)


def _show_values(result: ClaimResult) -> str:
    """Return the values that decided a claim in brackets; empty if a system has several."""
    systems = [measured.system for measured in result.measured]
    if result.deciding is None or result.finding is ClaimFinding.UNDECIDED:
        return ""
    if not systems or len({*systems}) < len(systems):
        return ""
    unit = METRICS[result.deciding.metric].unit
    shown = [
        f"{measured.system} {format_value(measured.value, unit)}"
        for measured in result.measured[:_MOST_VALUES]
    ]
    return f" ({', '.join(shown)})"
