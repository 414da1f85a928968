"""The parts of responses that several nouns show."""

from backend.api.schemas import FrameworkRef, MetricSummary, ScenarioRef, VerdictOut
from backend.core.measurements.verdicts import EXCLUDING
from backend.core.models import Framework, Scenario
from backend.core.statistics.estimate import Estimate
from backend.core.units import METRICS, Metric, Verdict


def framework_ref(framework: Framework) -> FrameworkRef:
    return FrameworkRef(slug=framework.slug, name=framework.name, colour=framework.colour)


def scenario_ref(scenario: Scenario) -> ScenarioRef:
    return ScenarioRef(slug=scenario.slug, name=scenario.name)


def verdict_out(verdict: Verdict, detail: str, trials: int) -> VerdictOut:
    excludes = verdict in EXCLUDING
    return VerdictOut(verdict=verdict, detail=detail, trials=trials, excludes_from_ranking=excludes)


def metric_summary(metric: Metric, value: Estimate) -> MetricSummary:
    info = METRICS[metric]
    return MetricSummary(
        estimate=value.estimate,
        low=value.low,
        high=value.high,
        unit=info.unit,
        n=value.n,
        direction=info.direction,
    )
