"""The disagreement of two load generators about the same service, and what follows; pure.

Which of the two is wrong is not known, so no result can be corrected. The disagreement is a bias
of unknown sign that more trials do not reduce. Its logarithm is therefore added linearly to the
statistical half-width of an interval (S. D. Phillips, K. R. Eberhardt & B. Parry, "Guidelines for
expressing the uncertainty of measurement results containing uncorrected bias", Journal of Research
of NIST 102, 1997; JCGM 100:2008 (GUM), F.2.4.5, about corrections that are not applied).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, isfinite, log

from backend.core.measurement.statistics.comparison import Instrument
from backend.core.measurement.statistics.estimate import Estimate, estimate
from backend.core.units import Aggregation, Metric, ProfileKind

COMPARED_METRICS = (Metric.THROUGHPUT_RPS, Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS)

_MEDIAN, _TAIL = Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS
# The compared metrics whose disagreement applies to a metric. If there are two, the larger applies.
_APPLYING: Mapping[Metric, Sequence[Metric]] = {
    Metric.THROUGHPUT_RPS: (Metric.THROUGHPUT_RPS,),
    Metric.LATENCY_P50_MS: (_MEDIAN,),
    Metric.LATENCY_P90_MS: (_MEDIAN, _TAIL),
    Metric.LATENCY_P95_MS: (_MEDIAN, _TAIL),
    Metric.LATENCY_P99_MS: (_TAIL,),
    Metric.LATENCY_P999_MS: (_TAIL,),
    Metric.LATENCY_MAX_MS: (_TAIL,),
    Metric.LATENCY_MEAN_MS: (_MEDIAN, _TAIL),
    Metric.FIRST_BYTE_P50_MS: (_MEDIAN,),
    Metric.FIRST_BYTE_P99_MS: (_TAIL,),
}
_OPEN_LOADS = frozenset({ProfileKind.RATE, ProfileKind.STEPS})


@dataclass(frozen=True)
class GeneratorPair:
    """The values of both load generators on one start of the reference service.

    Attributes:
        generator: name and version of the cross-check generator.
        ours, theirs: values by metric; the cross-check may lack some.
    """

    kind: ProfileKind
    generator: str
    ours: Mapping[Metric, float]
    theirs: Mapping[Metric, float]


@dataclass(frozen=True)
class Disagreement:
    """The disagreement about a metric.

    Attributes:
        ours, theirs: geometric means over the trials.
        ratio: ours divided by theirs, with its 95 % interval over the trials.
    """

    kind: ProfileKind
    metric: Metric
    generator: str
    ours: float
    theirs: float
    ratio: Estimate

    @property
    def size(self) -> float:
        """Return exp(|mean log ratio|): 1 if both agree, 1.05 if either measures 5 % more."""
        return max(self.ratio.estimate, 1 / self.ratio.estimate)


@dataclass(frozen=True)
class InstrumentError:
    """The errors of a host and its load generator. Without any, all ratios are 1.

    Attributes:
        disagreements: of the two load generators.
        detectable: the minimum detectable ratio by metric and whether the load is open.
    """

    disagreements: Sequence[Disagreement] = ()
    detectable: Mapping[tuple[Metric, bool], float] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Equal errors have equal hashes, so that they can be part of a key."""
        return hash((tuple(self.disagreements), frozenset(self.detectable.items())))

    def describe(self, metric: Metric, kind: ProfileKind) -> Instrument:
        """Return what is known about the errors of a metric under a kind of load."""
        return Instrument(self.find_ratio(metric, kind), self.find_detectable_ratio(metric, kind))

    def describe_composite(self, weights: Mapping[Metric, float], kind: ProfileKind) -> Instrument:
        """Return the same for a weighted geometric mean of metrics, if all errors add up."""
        total = sum(weights.values())
        error, detectable = (
            exp(sum(weight / total * log(find(metric, kind)) for metric, weight in weights.items()))
            for find in (self.find_ratio, self.find_detectable_ratio)
        )
        return Instrument(error, detectable)

    def find_detectable_ratio(self, metric: Metric, kind: ProfileKind) -> float:
        """Return the minimum detectable ratio of a metric under an open or a closed load.

        It is 1 if the calibration did not measure the metric under such a load.
        """
        return self.detectable.get((metric, is_open(kind)), 1.0)

    def find_ratio(self, metric: Metric, kind: ProfileKind) -> float:
        """Return by which factor the load generator may be wrong, 1 or more.

        Measurements of the same kind of load (open or closed) apply. If a metric was measured only
        under the other kind, that measurement applies. It is 1 for metrics that the load generator
        does not measure, such as CPU time.
        """
        return max(
            (self._find_size(source, kind) for source in _APPLYING.get(metric, ())), default=1
        )

    def _find_size(self, metric: Metric, kind: ProfileKind) -> float:
        measured = [item for item in self.disagreements if item.metric is metric]
        alike = [item for item in measured if is_open(item.kind) == is_open(kind)]
        return max((item.size for item in alike or measured), default=1.0)


NO_ERROR = InstrumentError()


def is_open(kind: ProfileKind) -> bool:
    """Return whether a load sends requests at given times, whether or not responses arrive."""
    return kind in _OPEN_LOADS


def find_disagreements(pairs: Sequence[GeneratorPair]) -> list[Disagreement]:
    """Return the disagreement about each metric that both generators measured.

    A pair counts for a metric if both values are positive and finite.
    """
    found: dict[tuple[ProfileKind, str, Metric], list[tuple[float, float]]] = {}
    for pair in pairs:
        for metric in COMPARED_METRICS:
            values = pair.ours.get(metric, 0), pair.theirs.get(metric, 0)
            if all(isfinite(value) and value > 0 for value in values):
                found.setdefault((pair.kind, pair.generator, metric), []).append(values)
    return [
        Disagreement(
            kind=kind,
            metric=metric,
            generator=generator,
            ours=_find_centre([ours for ours, _ in values]),
            theirs=_find_centre([theirs for _, theirs in values]),
            ratio=estimate([ours / theirs for ours, theirs in values], Aggregation.GEOMETRIC),
        )
        for (kind, generator, metric), values in found.items()
    ]


def add_to_noise(noise_ratio: float, instrument_ratio: float) -> float:
    """Return the minimum detectable ratio from that of the noise and the instrument's error.

    Logarithms add: the error may shift both results in opposite directions.
    """
    return noise_ratio * instrument_ratio


def _find_centre(values: Sequence[float]) -> float:
    return estimate(values, Aggregation.GEOMETRIC).estimate
