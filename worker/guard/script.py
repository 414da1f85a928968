"""Adds up what a k6 script tested itself in the trials of two versions."""

from collections import Counter

from backend.core.catalog.own.metrics import name_of_script
from backend.core.results.guard.document import (
    MOST_OF_SCRIPT,
    CheckCalls,
    ComparedCheck,
    ComparedThreshold,
    ScriptOutcome,
    cut_line,
)
from worker.loadgen.parse import ScriptReport


def list_own_metrics(report: ScriptReport | None) -> dict[str, float]:
    """Return the values of the metrics that a script defines, by their names in `tacho.toml`."""
    found = {}
    for metric in report.metrics if report is not None else ():
        for percentile, value in (
            ("", metric.med if metric.type == "trend" else metric.value),
            ("p95", metric.p95),
        ):
            if value is not None:
                found[name_of_script(metric.name, percentile)] = value
    return found


def describe_script(report: ScriptReport) -> str:
    """Return what a script tested itself in one trial, to follow a comma; empty without tests."""
    passes = sum(check.passes for check in report.checks)
    calls = passes + sum(check.fails for check in report.checks)
    kept = sum(threshold.passed for threshold in report.thresholds)
    parts = []
    if calls:
        failed = [check.name for check in report.checks if check.fails]
        named = f" (failed: {', '.join(failed)})" if failed else ""
        parts.append(f"{passes} of {calls} checks passed{named}")
    if report.thresholds:
        parts.append(f"{kept} of {len(report.thresholds)} thresholds kept")
    if report.metrics:
        parts.append(f"metrics: {', '.join(list_own_metrics(report))}")
    return "".join(f", {part}" for part in parts)


class ScriptTally:
    """The checks and thresholds of all trials of both versions."""

    def __init__(self) -> None:
        self._trials = Counter[str]()
        self._passes = Counter[tuple[str, str]]()
        self._fails = Counter[tuple[str, str]]()
        self._kept = Counter[tuple[str, str, str]]()
        # In the order in which the script uses them.
        self._checks: dict[str, None] = {}
        self._thresholds: dict[tuple[str, str], None] = {}
        self._metrics: dict[str, None] = {}

    def add(self, version: str, report: ScriptReport) -> None:
        """Add a trial of a version (base or head)."""
        self._trials[version] += 1
        for check in report.checks:
            name = cut_line(check.name)
            self._checks[name] = None
            self._passes[version, name] += check.passes
            self._fails[version, name] += check.fails
        # A script may have the same threshold twice.
        kept: dict[tuple[str, str], bool] = {}
        for threshold in report.thresholds:
            key = cut_line(threshold.metric), cut_line(threshold.threshold)
            kept[key] = kept.get(key, True) and threshold.passed
        for key, is_kept in kept.items():
            self._thresholds[key] = None
            self._kept[version, *key] += is_kept
        self._metrics |= dict.fromkeys(cut_line(metric.name) for metric in report.metrics)

    def summarise(self) -> ScriptOutcome:
        """Return what the trials so far show."""
        return ScriptOutcome(
            trials=min(self._trials["base"], self._trials["head"]),
            checks=tuple(
                ComparedCheck(
                    name=name, base=self._count("base", name), head=self._count("head", name)
                )
                for name in list(self._checks)[:MOST_OF_SCRIPT]
            ),
            thresholds=tuple(
                ComparedThreshold(
                    metric=metric,
                    threshold=threshold,
                    base=self._kept["base", metric, threshold],
                    head=self._kept["head", metric, threshold],
                )
                for metric, threshold in list(self._thresholds)[:MOST_OF_SCRIPT]
            ),
            metrics=tuple(self._metrics)[:MOST_OF_SCRIPT],
        )

    def _count(self, version: str, name: str) -> CheckCalls:
        return CheckCalls(passes=self._passes[version, name], fails=self._fails[version, name])
