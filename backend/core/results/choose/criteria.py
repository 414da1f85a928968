"""The criteria of a choice, and the results that answer them; pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS
from backend.core.results.choose.repository import BoardConditions, KnownResult
from backend.core.units import OF_START, Metric, ProfileKind


class Criterion(StrEnum):
    """A criterion of a choice. This is the order of importance unless a caller gives one."""

    LATENCY = "latency"
    RATE = "rate"
    COST = "cost"
    MEMORY = "memory"
    START = "start"

    @property
    def words(self) -> str:
        """Return the criterion as words: `latency at a rate`."""
        return _WORDS[self]

    @property
    def metrics(self) -> Mapping[ProfileKind, Metric]:
        """Return the metric that answers it for each kind of load, the best kind first."""
        return _METRICS[self]


_WORDS = {
    Criterion.LATENCY: "latency at a rate",
    Criterion.RATE: "highest rate",
    Criterion.COST: "cost per request",
    Criterion.MEMORY: "memory",
    Criterion.START: "start",
}
_RATE = "rate_rps"
_K = ProfileKind
_METRICS: Mapping[Criterion, Mapping[ProfileKind, Metric]] = {
    Criterion.LATENCY: {
        _K.RATE: Metric.LATENCY_P99_MS,
        _K.USERS: Metric.LATENCY_P99_MS,
        _K.COUNT: Metric.LATENCY_MEAN_MS,
    },
    Criterion.RATE: {
        _K.STEPS: Metric.SUSTAINED_RPS,
        _K.SATURATE: Metric.THROUGHPUT_RPS,
    },
    # At saturation, the CPU time per request of a service that fills its cores is only a bound.
    Criterion.COST: dict.fromkeys((_K.RATE, _K.USERS, _K.COUNT), Metric.CPU_US_PER_REQUEST),
    Criterion.MEMORY: dict.fromkeys(
        (_K.RATE, _K.USERS, _K.COUNT, _K.SATURATE, _K.STEPS), Metric.MEMORY_PEAK_BYTES
    ),
    Criterion.START: dict.fromkeys(
        (_K.RATE, _K.USERS, _K.COUNT, _K.SATURATE, _K.STEPS), Metric.BOOT_MS
    ),
}


@dataclass(frozen=True)
class CriterionResults:
    """The results that answer a criterion, all measured under the same conditions.

    Attributes:
        conditions: None if no result answers the criterion.
        usable: by framework.
        excluded: the latest result of frameworks that have only excluded results here.
        elsewhere: frameworks that have results of the criterion under other conditions only.
    """

    criterion: Criterion
    conditions: BoardConditions | None
    metric: Metric
    usable: Mapping[str, KnownResult]
    excluded: Mapping[str, KnownResult]
    elsewhere: frozenset[str]


def select_results(
    known: Sequence[KnownResult],
    criteria: Sequence[Criterion],
    parameters: Mapping[str, int],
    host_id: UUID | None = None,
) -> list[CriterionResults]:
    """Return the results of each criterion, all from one host.

    Conditions with results of more frameworks are better, first those with enough trials; then
    those of an earlier criterion, then a kind of load that answers the criterion better, then newer
    results. The host is the one with the most results over all criteria.

    Args:
        known: latest results of the frameworks in question.
        parameters: values that loads must have, where they have the parameter.
        host_id: the host; None for the best one.
    """
    known_hosts = {item.conditions.host_id for item in known}
    hosts: set[UUID | None] = {host_id} if host_id else {*known_hosts} or {None}
    candidates = []
    for host in hosts:
        own = [item for item in known if item.conditions.host_id == host]
        found: list[CriterionResults] = []
        for criterion in criteria:
            used = {column.conditions for column in found}
            found.append(_select(criterion, own, parameters, used))
        candidates.append(found)
    return max(candidates, key=_rate_host)


def _rate_host(found: Sequence[CriterionResults]) -> tuple[int, int, float]:
    usable = [item for column in found for item in column.usable.values()]
    newest = max((item.at.timestamp() for item in usable), default=0.0)
    return _count_rankable(usable), len(usable), newest


def _count_rankable(usable: Iterable[KnownResult]) -> int:
    """Return how many results have enough trials for an interval."""
    return sum(item.trials >= MIN_INTERVAL_TRIALS for item in usable)


def _select(
    criterion: Criterion,
    known: Sequence[KnownResult],
    parameters: Mapping[str, int],
    used: Collection[BoardConditions | None],
) -> CriterionResults:
    kinds = list(criterion.metrics)
    is_of_start = criterion.metrics[kinds[0]] in OF_START
    wanted = {} if is_of_start else parameters
    # Loads without a rate answer no question about a rate, unless only they have the metric.
    is_at_rate = ProfileKind.RATE in kinds and _RATE in wanted
    groups: dict[BoardConditions, list[KnownResult]] = {}
    fitting = [item for item in known if item.kind in kinds]
    for item in fitting:
        if _has(item, wanted) and (_RATE in item.parameters or not is_at_rate):
            groups.setdefault(item.conditions, []).append(item)

    def rate(conditions: BoardConditions) -> tuple[int, int, bool, int, float]:
        items = groups[conditions]
        usable = _list_usable(items, is_of_start=is_of_start)
        newest = max(item.at for item in items)
        kind = -kinds.index(items[0].kind)
        rankable = _count_rankable(usable.values())
        return rankable, len(usable), conditions in used, kind, newest.timestamp()

    best = max(groups, key=rate, default=None)
    items = groups[best] if best else []
    usable = _list_usable(items, is_of_start=is_of_start)
    excluded = {item.framework: item for item in items if item.framework not in usable}
    measured = {item.framework for item in fitting}
    return CriterionResults(
        criterion,
        best,
        criterion.metrics[items[0].kind if items else kinds[0]],
        usable,
        excluded,
        frozenset(measured - usable.keys() - excluded.keys()),
    )


def _has(item: KnownResult, wanted: Mapping[str, int]) -> bool:
    return all(item.parameters.get(name, value) == value for name, value in wanted.items())


def _list_usable(items: Collection[KnownResult], *, is_of_start: bool) -> dict[str, KnownResult]:
    """Return the latest result of each framework that may be ranked.

    Verdicts about a load do not concern the start of a service.
    """
    found: dict[str, KnownResult] = {}
    for item in sorted(items, key=lambda item: item.at):
        if is_of_start or not item.excluded:
            found[item.framework] = item
    return found
