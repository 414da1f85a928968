"""Check one value, or the comparison of two, with the intervals of their trials; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from backend.core.catalog.study_claims import Check
from backend.core.measurement.statistics.comparison import (
    EQUIVALENCE_RATIO,
    EQUIVALENCE_SHARE,
    Comparison,
    Instrument,
)
from backend.core.numbers import join_words
from backend.core.results.ranking.pairs import compare_values
from backend.core.results.studies.findings import CheckResult, ClaimFinding, decide_within
from backend.core.results.studies.measured import MeasuredCell, Values, estimate_of
from backend.core.results.studies.sides import Side, read_values
from backend.core.units import METRICS, Metric

# The interval of a ratio, or of a difference of shares.
_Interval = tuple[float | None, float | None]


def judge_value(check: Check, cell: MeasuredCell, blank: CheckResult) -> CheckResult:
    """Decide a check of one value."""
    centre = estimate_of(check.metric, cell.find_values(check.metric))
    finding = decide_within(centre.low, centre.high, check.between or (0, 0))
    return replace(
        blank,
        finding=finding,
        value=centre.estimate,
        low=centre.low,
        high=centre.high,
        n=centre.n,
    )


def judge_two(
    check: Check,
    sides: Sequence[Side],
    cells: Sequence[Sequence[MeasuredCell]],
    blank: CheckResult,
) -> CheckResult:
    """Decide a check of the ratio of two values, or of the difference of two shares.

    Args:
        cells: of each side.
    """
    first, second = (
        _read_positive(side, of_side) for side, of_side in zip(sides, cells, strict=True)
    )
    instruments = [
        cell.instrument.describe(side.metric, cell.kind)
        for side, of_side in zip(sides, cells, strict=True)
        for cell in of_side
    ]
    instrument = instruments[0]
    for other in instruments[1:]:
        instrument = instrument.combine(other)
    is_share = METRICS[check.metric].is_share
    ratio = compare_values(
        first.values,
        second.values,
        METRICS[check.metric].direction,
        interleaved=True,
        instrument=instrument,
        is_share=is_share,
    )
    if ratio is None:
        return replace(blank, reason="A value is 0, so there is no ratio.", n=len(first.values))
    compared = ratio.comparison
    low = 0.0 if first.has_bounds else compared.low
    high = inf if second.has_bounds else compared.high
    return replace(
        blank,
        finding=(
            _judge_shares(check, compared)
            if is_share
            else _judge_ratio(check, compared, (low, high), instrument)
        ),
        value=compared.difference if is_share else compared.ratio,
        low=low,
        high=high if high is not None and isfinite(high) else None,
        n=ratio.n,
        reason=_explain_zero(sides, first, second),
    )


@dataclass(frozen=True)
class _SideValues:
    """Values by repetition; `has_bounds` is whether some are only upper bounds."""

    values: Values
    has_bounds: bool = False


def _read_positive(side: Side, cells: Sequence[MeasuredCell]) -> _SideValues:
    """Return the values of a side. A throughput of 0 is less than one answer in the window."""
    values = read_values(side, cells)
    window = cells[0].parameters.get("duration_seconds")
    if side.metric is not Metric.THROUGHPUT_RPS or not window or len(cells) > 1:
        return _SideValues(values)
    return _SideValues(
        {repetition: value or 1 / window for repetition, value in values.items()},
        has_bounds=not all(values.values()),
    )


def _explain_zero(sides: Sequence[Side], first: _SideValues, second: _SideValues) -> str | None:
    """Return what a throughput of 0 means for the ratio; None without one."""
    silent = [
        side.systems[0]
        for side, read in zip(sides, (first, second), strict=True)
        if read.has_bounds
    ]
    if not silent:
        return None
    limit = "at most" if first.has_bounds else "at least"
    known = "unknown" if len(silent) > 1 else f"{limit} the value shown"
    return (
        f"{join_words(silent)} answered nothing in a trial. This counts as less than one answer, "
        f"so the ratio is {known}."
    )


def _judge_shares(check: Check, compared: Comparison) -> ClaimFinding:
    """Decide which of two shares is greater, by their difference."""
    low, high, margin = compared.low, compared.high, EQUIVALENCE_SHARE
    if low is None or high is None:
        return ClaimFinding.UNDECIDED
    if check.relation == "less" or (check.relation == "differ" and low + high < 0):
        low, high = -high, -low
    if low > 0 and high > margin:
        return ClaimFinding.HOLDS
    is_refuted = high <= margin and (check.relation != "differ" or low >= -margin)
    return ClaimFinding.DOES_NOT_HOLD if is_refuted else ClaimFinding.UNDECIDED


def _judge_ratio(
    check: Check, compared: Comparison, interval: _Interval, instrument: Instrument
) -> ClaimFinding:
    ratio, (low, high) = compared.ratio, interval
    if check.relation == "alike":
        return decide_within(low, high, (1 / check.within, check.within))
    if ratio is None or low is None or high is None:
        return ClaimFinding.UNDECIDED
    if check.relation == "less" or (check.relation == "differ" and ratio < 1):
        ratio, low, high = 1 / ratio, _invert(high), _invert(low)
    bounds = check.ratio_bounds
    if bounds is None and low > 1:
        # A small but significant difference counts, unless it is within equivalence. A difference
        # that is too small for the host decides nothing.
        if high <= EQUIVALENCE_RATIO:
            return ClaimFinding.DOES_NOT_HOLD
        is_detectable = ratio >= instrument.detectable_ratio
        return ClaimFinding.HOLDS if is_detectable else ClaimFinding.UNDECIDED
    if check.relation == "differ":
        is_alike = low >= 1 / EQUIVALENCE_RATIO and high <= EQUIVALENCE_RATIO
        return ClaimFinding.DOES_NOT_HOLD if is_alike else ClaimFinding.UNDECIDED
    return decide_within(low, high, bounds or (EQUIVALENCE_RATIO, inf))


def _invert(bound: float) -> float:
    return 1 / bound if bound else inf
