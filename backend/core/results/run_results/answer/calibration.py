"""The answer of a calibration: detectable differences, and whether reported values are right."""

from collections.abc import Sequence

from backend.core.numbers import format_figure, format_value
from backend.core.results.calibration.service import Calibration, MetricNoise, compute_calibration
from backend.core.results.calibration.truth import TOLERANCE_MS, TOLERANCE_SHARE
from backend.core.results.ranking.metric_words import lower_title
from backend.core.results.run_results.answer.headline import NO_RESULT
from backend.core.results.run_results.answer.model import (
    AnswerKind,
    AnswerLine,
    AnswerWarning,
    RunAnswer,
    make_line,
)
from backend.core.results.run_results.answer.remedy import repeat
from backend.core.results.run_results.answer.warnings import shorten
from backend.core.results.run_results.groups import ResultGroup
from backend.core.results.run_results.service import RunResults
from backend.core.statuses import RunOutcome
from backend.core.units import METRICS, TERMINAL_METRICS, Metric


def answer_calibration(
    results: RunResults, facts: Sequence[str], warnings: Sequence[AnswerWarning]
) -> RunAnswer:
    """Return the answer of a calibration run that has ended."""
    run = results.run
    measured_at = run.finished_at or run.created_at
    found = compute_calibration(run, run.host, measured_at, results.metrics)
    fault, main = _find_fault(found), _find_main_noise(found)
    headline = NO_RESULT
    if main is not None and not fault:
        headline = (
            f"{run.host.name} can detect differences of {_percent(main)} in "
            f"{lower_title(METRICS[main.metric].title)}"
        )
    outcome = RunOutcome.USABLE_WITH_WARNINGS if warnings else RunOutcome.USABLE
    return RunAnswer(
        kind=AnswerKind.CALIBRATION,
        headline=headline,
        facts=facts,
        sentences=_list_sentences(found),
        outcome=RunOutcome.NOT_USABLE if fault else outcome,
        summary=headline,
        reason=fault or shorten(warnings),
        remedy=repeat(run, "Run again when the host is idle") if fault else None,
        warnings=warnings,
        lines=_list_lines(found, results.groups),
    )


def _find_fault(found: Calibration) -> str | None:
    if not found.truth:
        return "The reference service has no result, so reported values could not be checked."
    wrong = [check for check in found.truth if not check.is_within]
    if wrong:
        worst = max(wrong, key=lambda check: abs(check.reported_ms - check.expected_ms))
        return (
            f"{len(wrong)} of {len(found.truth)} reported latencies differ from the true values: "
            f"p{worst.quantile * 100:g} is {format_value(worst.reported_ms, 'ms')} instead of "
            f"{format_value(worst.expected_ms, 'ms')}."
        )
    if not found.noise:
        return "No service was measured twice, so the noise of the host is not known."
    return None


def _find_main_noise(found: Calibration) -> MetricNoise | None:
    """Return the noise of CPU per request, else the first metric of terminal tables."""
    wanted = (Metric.CPU_US_PER_REQUEST, *TERMINAL_METRICS)
    by_metric = {noise.metric: noise for noise in reversed(found.noise)}
    return next((by_metric[metric] for metric in wanted if metric in by_metric), None)


def _list_sentences(found: Calibration) -> list[str]:
    sentences = []
    within = sum(check.is_within for check in found.truth)
    if found.truth:
        tolerance = f"{TOLERANCE_SHARE:.0%}".replace("%", " %")
        sentences.append(
            f"{within} of {len(found.truth)} reported latencies are within {tolerance} + "
            f"{format_figure(TOLERANCE_MS)} ms of the true values."
        )
    if found.overheads:
        fastest = found.overheads[-1]
        sentences.append(
            f"The load generator adds {format_value(fastest.latency_p50_ms, 'ms')} at the median "
            f"and {format_value(fastest.latency_p99_ms, 'ms')} at p99 at "
            f"{format_value(fastest.rate_rps, 'req/s')}."
        )
    return sentences


def _list_lines(found: Calibration, groups: Sequence[ResultGroup]) -> list[AnswerLine]:
    """Return the minimum detectable difference of each main metric."""
    keys = {(group.scenario.slug, group.profile): group.key for group in reversed(groups)}
    return [
        make_line(
            keys[noise.scenario, noise.profile],
            METRICS[noise.metric].title,
            f"Differences above {_percent(noise)} are detectable, with {noise.noise.trials} trials "
            "each.",
        )
        for noise in found.noise
        if noise.metric in TERMINAL_METRICS and noise is _first(found, noise.metric)
    ]


def _first(found: Calibration, metric: Metric) -> MetricNoise:
    return next(noise for noise in found.noise if noise.metric is metric)


def _percent(noise: MetricNoise) -> str:
    return f"{format_figure(100 * (noise.smallest_ratio - 1))} %"
