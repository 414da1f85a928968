"""Test that a slower build and a slower host are distinguished: `make bench-changes`.

It queues runs of `node` × hello like nightly runs, under two names, with enough work per request
that CPU time dominates. First, one of the two gets a build with 8 % more CPU time per request.
Tacho must suspect it in some metric, measure the builds side by side automatically, confirm the
change with an interval that contains 8 %, send a webhook to a real HTTP receiver that verifies the
signature, and show it in History and Changes. Then the other gets a build with the same work, while
other programs contend for the services' CPUs. A suspicion must then end as host drift; a suspicion
of memory, which contention does not affect, may also be dismissed.
Nobody presses anything. A simulation adds the number of points after which CPU time alone would
have been suspected. The last line is one JSON object.
"""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from urllib.parse import urlsplit

from backend.core.changes.detection import MIN_POINTS
from backend.core.config import ROOT
from backend.core.measurement.statistics.comparison import compare_pairs
from backend.core.units import METRICS, WATCHED_METRICS, Metric, ProfileKind
from tools.benchmarks.api import Document
from tools.benchmarks.delay import expect_delay
from tools.benchmarks.measuring import (
    count_verdicts,
    open_stack,
    print_result,
    read_options,
    trials_of,
    values_of,
)
from tools.benchmarks.nightly import (
    PLAIN,
    await_registration,
    contended,
    is_point,
    land,
    land_points,
    land_until,
    list_changes,
)
from tools.benchmarks.planted import NODE
from tools.benchmarks.receiver import WebhookReceiver, receive
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import has_come

_MORE = 0.08
_HONEST_POINTS = MIN_POINTS + 4
# A change needs at least four points, and more if the noise is large.
_MOST_AFTER = 24
_TRIALS = 3
_PAIRS = 30
# Trials that measure the cost of `node` × hello without work.
_PLAIN_TRIALS = 5
_KILOBYTES = 2_000
# Share of each millisecond of the services' CPUs that a program with priority takes.
_TAKEN = 0.15
_SLOWER, _SAME = "node-slower", "node-same"
_SERVICES = (_SLOWER, _SAME)
_HEADLINE = Metric.CPU_US_PER_REQUEST
_TOLD_SECONDS = 60


def main() -> None:
    """Print the outcome of each change, and the JSON line."""
    options = read_options(__doc__, _TRIALS)
    with tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder, receive() as receiver:
        services = Path(folder) / "services"
        shutil.copytree(ROOT / "services", services)
        for slug in _SERVICES:
            NODE.plant_as(services, slug, _KILOBYTES)
        environment = {
            "TACHO_SERVICES_DIR": str(services),
            "TACHO_CONFIRMATION_PAIRS": str(_PAIRS),
            "TACHO_WEBHOOK_ALLOW": urlsplit(receiver.url).netloc,
        }
        with open_stack("bench-changes", options.runtime, environment) as stack:
            hook = {"url": receiver.url, "events": ["change.confirmed"]}
            receiver.secret = stack.api.post("/webhooks", hook)["secret"]
            honest = _measure_honest(stack, options.trials)
            slower = _measure_slower(stack, services, receiver, honest, options.trials)
            drifted = _measure_drift(stack, services, receiver, options.trials)
    figures = {
        "runtime": options.runtime,
        "trials": options.trials,
        "honest": honest,
        "slower_build": slower,
        "slower_host": drifted,
    }
    print_result("changes", figures, {"more": _MORE}, met=slower["met"] and drifted["met"])


def _measure_honest(stack: Stack, trials: int) -> dict[str, Any]:
    """Add points without a change. Nothing may be suspected."""
    plain = land(stack, [PLAIN], 1, _PLAIN_TRIALS)
    runs = land_points(stack, _SERVICES, trials, _HONEST_POINTS)
    levels = {
        slug: [
            fmean(values_of(run, position, _HEADLINE))
            for run in runs
            if is_point(run["cells"][position])
        ]
        for position, slug in enumerate(_SERVICES)
    }
    levels[PLAIN] = values_of(plain[0], 0, _HEADLINE)
    print(f"{len(runs)} honest runs, {trials} trials per point, CPU time per request\n")
    for slug, values in levels.items():
        noise = stdev(values) / fmean(values)
        print(f"{slug:16}{fmean(values):>10.0f} µs{noise:>9.1%} CoV, {len(values)} points")
    both = [
        fmean(values_of(run, 0, _HEADLINE)) / fmean(values_of(run, 1, _HEADLINE))
        for run in runs
        if all(map(is_point, run["cells"]))
    ]
    shared = stdev(both) / fmean(both)
    print(f"one over the other in the same run {shared:.1%} CoV: less, where the host drifts")
    false_alarms = list_changes(stack)
    _show("Changes in honest runs", false_alarms)
    return {
        "cpu_us": {slug: fmean(values) for slug, values in levels.items()},
        "variation": {slug: stdev(values) / fmean(values) for slug, values in levels.items()},
        "variation_beside_the_other": shared,
        "verdicts": count_verdicts(*runs),
        "false_alarms": [_brief(change) for change in false_alarms],
    }


def _measure_slower(
    stack: Stack, services: Path, receiver: WebhookReceiver, honest: dict[str, Any], trials: int
) -> dict[str, Any]:
    """Test a build whose CPU time per request is _MORE higher."""
    cpu_us: dict[str, float] = honest["cpu_us"]
    share = (cpu_us[_SLOWER] - cpu_us[PLAIN]) / cpu_us[_SLOWER]
    NODE.plant_as(services, _SLOWER, round(_KILOBYTES * (1 + _MORE / share)))
    await_registration(stack, services, [_SLOWER])
    landed, changes = land_until(
        stack, _SERVICES, trials, _SLOWER, _MOST_AFTER, lambda new: any(map(_is_confirmed, new))
    )
    _show(f"{_MORE:.0%} more CPU time per request, {landed} points later", changes)
    confirmed = [change for change in changes if _is_confirmed(change)]
    checks = {
        "confirmed": bool(confirmed),
        "interval_holds_8_percent": any(
            _holds(item["confirmation"]["found"]) for item in confirmed
        ),
        "only_of_the_slower_build": {_slug(item) for item in confirmed} == {_SLOWER},
        "webhook_believed": {_is_told(receiver, item) for item in confirmed} == {True},
        "seen_in_history": {_is_in_history(stack, item) for item in confirmed} == {True},
    }
    _print_checks(checks)
    figures = {
        "points": landed,
        "changes": [_brief(change) for change in changes],
        "checks": checks,
        "met": all(checks.values()),
    }
    return figures | {"cpu": _compare_cpu(stack, confirmed, honest["variation"][_SLOWER])}


def _measure_drift(
    stack: Stack, services: Path, receiver: WebhookReceiver, trials: int
) -> dict[str, Any]:
    """Test a build with the same work while other programs contend for the services' CPUs."""
    NODE.plant_as(services, _SAME, _KILOBYTES, remark="the same")
    await_registration(stack, services, [_SAME])
    host = stack.api.get(f"/hosts/{stack.settings.bench_host}")
    with contended(host["cpus"]["service"], _TAKEN):
        landed, new = land_until(
            stack,
            _SERVICES,
            trials,
            _SAME,
            _MOST_AFTER,
            lambda new: any(_slug(change) == _SAME and _is_of_time(change) for change in new),
        )
    _show(f"The same work on contended CPUs, {landed} points later", new)
    own = [change for change in new if _slug(change) == _SAME]
    events = stack.api.get("/host-events")["items"]
    for event in events:
        print(
            f"host event: {event['metric']} {event['ratio']:.2f}×, "
            f"{event['series_shifted']} of {event['series_total']} series"
        )
    told = [message.body["data"]["change"]["framework"] for message in receiver.messages]
    of_time = {item["status"] for item in own if _is_of_time(item)}
    of_memory = {item["status"] for item in own if not _is_of_time(item)}
    checks = {
        "slower_host_is_host_drift": of_time == {"host_drift"},
        "nothing_of_memory_stands": of_memory <= {"host_drift", "dismissed"},
        "nobody_told": _SAME not in told,
    }
    _print_checks(checks)
    return {
        "points": landed,
        "changes": [_brief(change) for change in new],
        "host_events": len(events),
        "checks": checks,
        "met": all(checks.values()),
    }


def _print_checks(checks: Mapping[str, bool]) -> None:
    for check, holds in checks.items():
        print(f"  {check.replace('_', ' '):28} {'yes' if holds else 'no'}")


def _is_confirmed(change: Document) -> bool:
    return bool(change["status"] == "confirmed" and not change["is_by_hand"])


def _is_of_time(change: Document) -> bool:
    return bool(change["metric"] != Metric.MEMORY_PEAK_BYTES)


def _slug(change: Document) -> str:
    return str(change["framework"]["slug"])


def _holds(found: Document) -> bool:
    return bool(found["low"] <= 1 + _MORE <= found["high"])


def _is_told(receiver: WebhookReceiver, change: Document) -> bool:
    """Return whether exactly one valid message about the incident of the change arrived."""

    def list_messages() -> list[str | None]:
        return [
            message.problem
            for message in receiver.messages
            if message.body["type"] == "change.confirmed"
            and message.body["data"]["incident"]["id"] == change["incident_id"]
        ]

    return has_come(list_messages, _TOLD_SECONDS) and list_messages() == [None]


def _is_in_history(stack: Stack, change: Document) -> bool:
    found = stack.api.get(
        "/history",
        framework=_slug(change),
        scenario=change["scenario"]["slug"],
        metric=change["metric"],
        host=change["host"],
    )
    seen = [point["known"] for series in found["series"] for point in series["changes"]]
    return {"id": change["id"], "status": "confirmed"} in seen


def _compare_cpu(stack: Stack, confirmed: Sequence[Document], variation: float) -> dict[str, Any]:
    """Compare the CPU time of the builds in the confirmation run, independent of its metric.

    Also find the number of points after which the history alone would have shown the difference.
    """
    series = len(_SERVICES) * len(WATCHED_METRICS[ProfileKind.RATE])
    delay = expect_delay(variation, 1 + _MORE, _HONEST_POINTS, _MOST_AFTER, series)
    print(
        f"CPU time per request alone, at a CoV of {variation:.1%}: suspected after "
        f"{delay.half or 'more than 60'} points in half of histories, "
        f"{delay.nine_tenths or 'more than 60'} in nine of ten, within {_MOST_AFTER} in "
        f"{delay.within:.0%} (simulated)"
    )
    figures: dict[str, Any] = {"expected": asdict(delay)}
    if confirmed:
        run = stack.api.get(f"/runs/{confirmed[0]['confirmation']['run_slug']}")
        old, new = ([item["metrics"] for item in trials_of(run, cell)] for cell in range(2))
        both = [
            (float(a[_HEADLINE]), float(b[_HEADLINE]))
            for a, b in zip(old, new, strict=True)
            if _HEADLINE in a and _HEADLINE in b
        ]
        found = compare_pairs(
            [b for _, b in both], [a for a, _ in both], METRICS[_HEADLINE].direction
        )
        figures["confirmation"] = {"ratio": found.ratio, "low": found.low, "high": found.high}
        print(
            f"CPU time per request in the confirmation run: {_shown(figures['confirmation'])}, "
            f"{len(both)} pairs"
        )
    return figures


def _brief(change: Document) -> dict[str, Any]:
    confirmation = change["confirmation"] or {}
    return {
        "framework": _slug(change),
        "metric": change["metric"],
        "status": change["status"],
        "history": change["history"],
        "pairs": confirmation.get("pairs"),
        "confirmation": confirmation.get("found"),
        "reason": change["reason"],
    }


def _shown(ratio: dict[str, Any]) -> str:
    return f"{ratio['ratio']:.3f}× [{ratio['low']:.3f}, {ratio['high']:.3f}]"


def _show(title: str, changes: Sequence[Document]) -> None:
    print(f"\n{title}: {len(changes) or 'none'}", flush=True)
    for change in changes:
        brief = _brief(change)
        found, pairs = brief["confirmation"], brief["pairs"]
        side = f"{_shown(found)} in {pairs} pairs" if found else "no confirmation run"
        print(
            f"  {brief['framework']:12} {brief['metric']:20} {brief['status']:11} "
            f"history {_shown(brief['history'])}; builds {side}"
        )
        print(f"    {brief['reason']}", flush=True)


if __name__ == "__main__":
    main()
