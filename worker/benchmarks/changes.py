"""Is a slower build told from a slower host? `make bench-changes`, on this machine.

`node` × hello, with so much work a request that its CPU time is what is measured, lands as nightly
runs do, under two names. First one gets a build with 8 % more CPU time a request: its change must
be suspected, the builds measured side by side by themselves, and the interval found hold 8 %. Then
the other gets a build that does nothing more, while a program beside Tacho burns the services'
CPUs: whatever is suspected then must end as the host's. Nobody presses anything. The last line is
one JSON object.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from backend.core.changes.detection import MIN_POINTS
from backend.core.config import ROOT
from backend.core.units import Metric
from worker.benchmarks.api import Document, describe
from worker.benchmarks.measuring import read_options, tell, values_of
from worker.benchmarks.stack import Stack

_MORE = 0.08
_HONEST_RUNS = MIN_POINTS + 4
# A change needs four points to be seen; noise may ask for more.
_MOST_AFTER = 12
_TRIALS = 1
_PAIRS = 20
# What `node` × hello costs without work: from so many trials.
_PLAIN_TRIALS = 5
_KILOBYTES = 2_000
_LOAD = {"rate_rps": 200, "warm_up_seconds": 1, "duration_seconds": 2}
_SLOWER, _SAME, _PLAIN = "node-slower", "node-same", "node"
_SERVICES = (_SLOWER, _SAME)
_HEADLINE = Metric.CPU_US_PER_REQUEST
_WAIT_SECONDS = 900

_SOURCE = Path("frameworks/javascript/node")
_HELLO = 'return sendText(response, "Hello World!");'
# Native code: what a just-in-time compiler makes of a loop differs from start to start by half.
_WORK = """
import { createHash } from "node:crypto";
const block = Buffer.alloc(1024);
function work(kilobytes) {
  const hash = createHash("sha256");
  for (let done = 0; done < kilobytes; done += 1) hash.update(block);
  hash.digest();
}
"""


def main() -> None:
    """Print what became of every change, and the JSON line."""
    options = read_options(__doc__, _TRIALS)
    with tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder:
        services = Path(folder) / "services"
        shutil.copytree(ROOT / "services", services)
        for slug in (_SLOWER, _SAME):
            _write_service(services, slug, _KILOBYTES)
        environment = {"TACHO_SERVICES_DIR": str(services), "TACHO_RETEST_PAIRS": str(_PAIRS)}
        name = f"bench-changes-{os.getpid()}"
        with Stack(Path(folder) / "data", options.runtime, name, environment) as stack:
            honest = _measure_honest(stack, options.trials)
            slower = _measure_slower(stack, services, honest, options.trials)
            drifted = _measure_drift(stack, services, options.trials)
    figures = {
        "runtime": options.runtime,
        "trials": options.trials,
        "honest": honest,
        "slower_build": slower,
        "slower_host": drifted,
    }
    tell("changes", figures, {"more": _MORE}, met=slower["met"] and drifted["met"])


def _write_service(services: Path, slug: str, kilobytes: int, remark: str = "") -> None:
    """`node` under another name, with so much work in each answer to /hello."""
    source, folder = services / _SOURCE, services / _SOURCE.parent / slug
    shutil.copytree(source, folder, dirs_exist_ok=True)
    manifest = (source / "service.toml").read_text()
    named = manifest.replace('slug = "node"', f'slug = "{slug}"').replace('"Node.js"', f'"{slug}"')
    (folder / "service.toml").write_text(named)
    server = (source / "server.js").read_text()
    assert _HELLO in server
    worked = server.replace(_HELLO, f"work({kilobytes}); {_HELLO}")
    (folder / "server.js").write_text(f"{worked}{_WORK}{remark}")


def _measure_honest(stack: Stack, trials: int) -> dict[str, Any]:
    """Points of one level each; nothing may be suspected."""
    plain = _land(stack, [_PLAIN], 1, _PLAIN_TRIALS)
    runs = _land(stack, _SERVICES, _HONEST_RUNS, trials)
    levels = {
        slug: [value for run in runs for value in values_of(run, position, _HEADLINE)]
        for position, slug in enumerate(_SERVICES)
    }
    levels[_PLAIN] = values_of(plain[0], 0, _HEADLINE)
    print(f"{_HONEST_RUNS} honest runs, {trials} trials a point, CPU time a request\n")
    for slug, values in levels.items():
        print(f"{slug:16}{fmean(values):>10.0f} µs{stdev(values) / fmean(values):>9.1%} CoV")
    false_alarms = [change for slug in _SERVICES for change in _list_changes(stack, slug)]
    _show("Changes in honest runs", false_alarms)
    return {
        "cpu_us": {slug: fmean(values) for slug, values in levels.items()},
        "variation": {slug: stdev(values) / fmean(values) for slug, values in levels.items()},
        "false_alarms": [_brief(change) for change in false_alarms],
    }


def _measure_slower(
    stack: Stack, services: Path, honest: dict[str, Any], trials: int
) -> dict[str, Any]:
    """A build with so much more work that its whole CPU time a request is _MORE higher."""
    cpu_us: dict[str, float] = honest["cpu_us"]
    share = (cpu_us[_SLOWER] - cpu_us[_PLAIN]) / cpu_us[_SLOWER]
    _write_service(services, _SLOWER, round(_KILOBYTES * (1 + _MORE / share)))
    landed, changes = _land_until_decided(stack, _SLOWER, _HEADLINE, trials)
    _show(f"{_MORE:.0%} more CPU time a request, {landed} runs later", changes)
    found = [change for change in changes if change["metric"] == _HEADLINE]
    met = any(
        change["status"] == "confirmed"
        and change["retest"]["found"]["low"] <= 1 + _MORE <= change["retest"]["found"]["high"]
        for change in found
    )
    return {"runs": landed, "changes": [_brief(change) for change in changes], "met": met}


def _measure_drift(stack: Stack, services: Path, trials: int) -> dict[str, Any]:
    """A build that does the same, on a host whose service CPUs something else burns."""
    _write_service(services, _SAME, _KILOBYTES, remark="// the same\n")
    host = stack.api.get(f"/hosts/{stack.settings.bench_host}")
    with _burning(host["cpus"]["service"]):
        landed, changes = _land_until_decided(stack, _SAME, None, trials)
    _show(f"The same work on contended CPUs, {landed} runs later", changes)
    statuses = {change["status"] for change in changes}
    events = stack.api.get("/host-events")["items"]
    for event in events:
        print(
            f"host event: {event['metric']} {event['ratio']:.2f}×, "
            f"{event['series_shifted']} of {event['series_total']} series"
        )
    return {
        "runs": landed,
        "changes": [_brief(change) for change in changes],
        "host_events": len(events),
        "met": statuses == {"host_drift"},
    }


@contextmanager
def _burning(cpus: Sequence[int]) -> Iterator[None]:
    """A busy loop on each of these CPUs, ended by its process id at the end."""
    burners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], stdin=subprocess.DEVNULL)
        for _ in cpus
    ]
    try:
        for burner, cpu in zip(burners, cpus, strict=True):
            os.sched_setaffinity(burner.pid, {cpu})
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def _land(stack: Stack, slugs: Sequence[str], count: int, trials: int) -> list[Document]:
    """So many runs of these services, queued at once and taken one after another."""
    cells = [
        {"framework": slug, "scenario": "hello", "profile": "rate-quick", "parameters": _LOAD}
        for slug in slugs
    ]
    queued = [stack.create_run(cells, trials=trials) for _ in range(count)]
    ended = [stack.api.await_run(run, count * _WAIT_SECONDS) for run in queued]
    for run in ended:
        if run["status"] != "succeeded":
            raise RuntimeError(f"A run did not succeed: {describe(run)}")
    return ended


def _land_until_decided(
    stack: Stack, slug: str, metric: Metric | None, trials: int
) -> tuple[int, list[Document]]:
    """Run until a change of a service (in this metric) is seen and no retest goes on.

    Returns:
        How many runs it took, _MOST_AFTER when nothing was seen, and the service's changes.
    """
    known = {change["id"] for change in _list_changes(stack, slug)}
    landed = 0
    changes: list[Document] = []
    while landed < _MOST_AFTER and not _seen(changes, metric):
        _land(stack, _SERVICES, 1, trials)
        landed += 1
        changes = [one for one in _list_changes(stack, slug) if one["id"] not in known]
    deadline = time.monotonic() + _WAIT_SECONDS
    while any(change["status"] == "testing" for change in changes):
        if time.monotonic() > deadline:
            raise TimeoutError(f"The retest of {slug} did not end.")
        changes = [one for one in _list_changes(stack, slug) if one["id"] not in known]
    return landed, changes


def _seen(changes: Sequence[Document], metric: Metric | None) -> bool:
    return any(metric in {None, change["metric"]} for change in changes)


def _list_changes(stack: Stack, slug: str) -> list[Document]:
    # What follows from a run's end is written just after it.
    time.sleep(1)
    found: list[Document] = stack.api.get("/changes", framework=slug)["items"]
    return found


def _brief(change: Document) -> dict[str, Any]:
    retest = change["retest"] or {}
    return {
        "framework": change["framework"]["slug"],
        "metric": change["metric"],
        "status": change["status"],
        "history": change["history"],
        "pairs": retest.get("pairs"),
        "retest": retest.get("found"),
        "reason": change["reason"],
    }


def _show(title: str, changes: Sequence[Document]) -> None:
    print(f"\n{title}: {len(changes) or 'none'}", flush=True)
    for change in changes:
        brief = _brief(change)
        history, retest = brief["history"], brief["retest"]
        ratio = f"{history['ratio']:.3f}× [{history['low']:.3f}, {history['high']:.3f}]"
        side = (
            f"{retest['ratio']:.3f}× [{retest['low']:.3f}, {retest['high']:.3f}]"
            f" in {brief['pairs']} pairs"
            if retest
            else "no retest"
        )
        print(f"  {brief['metric']:20} {brief['status']:11} history {ratio}; builds {side}")
        print(f"    {brief['reason']}", flush=True)


if __name__ == "__main__":
    main()
