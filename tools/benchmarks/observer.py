"""Measure what watching a run costs the measured service: `make bench-observer`.

`go-nethttp` × `hello` is measured at full throughput and at a fixed rate, in rounds of three equal
runs each: two alone, and a third with `tacho run --wait`, three live pages of the run and a
dashboard in Chromium, all on the measuring machine. A run alone has no observer except this
program, which reads its status every 2 to 15 s. The order changes from
round to round. The goal is that the watched runs differ from the others by less than the minimum
detectable difference of this host, found as a calibration does from the runs alone.
The last line is one JSON object.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from math import exp, log
from pathlib import Path
from statistics import fmean

import httpx

from backend.core.measurement.instrument.noise import find_noise
from backend.core.units import METRICS, Metric
from tools.benchmarks.api import Document
from tools.benchmarks.measuring import (
    count_verdicts,
    open_stack,
    print_result,
    resolve_runtime,
    values_of,
)
from tools.benchmarks.needs import require_chromium, require_frontend
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import expect

_ROUNDS = 5
_FRAMEWORK, _SCENARIO = "go-nethttp", "hello"
_PROFILES: Mapping[str, Sequence[Metric]] = {
    "saturate-quick": (Metric.THROUGHPUT_RPS,),
    "rate-quick": (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P50_MS, Metric.LATENCY_P99_MS),
}
_LIVE_PAGES = 3
# Each live page and the command line follow the events of the run.
_STREAMS = _LIVE_PAGES + 1
_MOST_SECONDS = 300
_START_SECONDS = 30


@dataclass(frozen=True)
class ObserverCost:
    """How the watched runs differ from the runs alone, in one metric.

    Attributes:
        ratio: of the geometric means, watched divided by alone.
        detectable_ratio: the minimum detectable ratio of this host, from runs alone.
    """

    profile: str
    metric: Metric
    alone: float
    watched: float
    ratio: float
    detectable_ratio: float

    @property
    def is_hidden(self) -> bool:
        """Whether the difference is too small to be found on this host."""
        return max(self.ratio, 1 / self.ratio) <= self.detectable_ratio


def main() -> None:
    """Print the table and the JSON line. `met` is true if every cost is too small to be found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    asked = parser.parse_args()
    if asked.rounds < 2:
        parser.error("--rounds must be 2 or more, because one round shows no noise.")
    chromium = require_chromium()
    runtime = resolve_runtime()
    require_frontend()
    costs, runs = [], []
    with open_stack("bench-observer", runtime) as stack:
        for profile, metrics in _PROFILES.items():
            found = measure(stack, chromium, profile, asked.rounds)
            costs += [_compare(found, profile, metric) for metric in metrics]
            runs += [run for arm in found.values() for run in arm]
    _show(costs)
    figures = {
        "rounds": asked.rounds,
        "runtime": runtime,
        "verdicts": count_verdicts(*runs),
        "costs": [asdict(cost) for cost in costs],
    }
    goals = {"ratio": "at most detectable_ratio"}
    print_result("observer", figures, goals, met=all(cost.is_hidden for cost in costs))


def measure(
    stack: Stack, chromium: str, profile: str, rounds: int
) -> Mapping[str, Sequence[Document]]:
    """Return the ended runs of each arm. Each round begins with another arm."""
    run_alone = partial(_run_alone, stack, profile)
    run_alone()  # builds what is not built yet
    arms = {
        "alone": run_alone,
        "watched": partial(_run_watched, stack, chromium, profile),
        "alone again": run_alone,
    }
    names = deque(arms)
    runs: dict[str, list[Document]] = {name: [] for name in arms}
    for number in range(1, rounds + 1):
        for name in names:
            runs[name].append(arms[name]())
        names.rotate(-1)
        print(f"{profile}: round {number} of {rounds}", flush=True)
    return runs


def _run_alone(stack: Stack, profile: str) -> Document:
    cell = {"framework": _FRAMEWORK, "scenario": _SCENARIO, "profile": profile}
    return stack.api.await_success(stack.create_run([cell]), _MOST_SECONDS)


def _run_watched(stack: Stack, chromium: str, profile: str) -> Document:
    command = [str(Path(sys.executable).with_name("tacho")), "run", _FRAMEWORK]
    command += ["--scenario", _SCENARIO, "--profile", profile, "--trials", "1", "--wait"]
    command += ["--host", stack.settings.bench_host, "--url", stack.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        slug = re.search(r"/r/(\S+)", waiting.stdout.readline())
        if slug is None:
            raise RuntimeError("`tacho run` did not print the address of its run.")
        page = f"{stack.url}/r/{slug[1]}"
        with _browse(chromium, [stack.url, *[page] * _LIVE_PAGES]):
            expect(
                lambda: _count_streams(stack) >= _STREAMS,
                _START_SECONDS,
                f"fewer than {_STREAMS} observers follow the run, so nothing would be measured",
            )
            waiting.communicate(timeout=_MOST_SECONDS)
    return stack.api.await_success(stack.api.get(f"/runs/{slug[1]}"), _MOST_SECONDS)


@contextmanager
def _browse(chromium: str, urls: Sequence[str]) -> Iterator[None]:
    """Keep these pages open. Chromium opens one page itself, and the others through DevTools."""
    with tempfile.TemporaryDirectory(prefix="tacho-bench-", ignore_cleanup_errors=True) as profile:
        options = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        browser = subprocess.Popen(
            [chromium, *options, urls[0]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            port = Path(profile) / "DevToolsActivePort"
            expect(lambda: _has_line(port), _START_SECONDS, "Chromium does not start")
            for url in urls[1:]:
                address = f"http://127.0.0.1:{port.read_text().split()[0]}/json/new?{url}"
                httpx.put(address, trust_env=False).raise_for_status()
            yield
        finally:
            browser.terminate()
            browser.wait(timeout=30)


def _has_line(path: Path) -> bool:
    return path.is_file() and "\n" in path.read_text()


def _count_streams(stack: Stack) -> int:
    text = httpx.get(f"{stack.url}/metrics", trust_env=False).raise_for_status().text
    found = re.search(r"^tacho_event_streams(?:\{.*\})? (\S+)", text, re.MULTILINE)
    return int(float(found[1])) if found else 0


def _compare(found: Mapping[str, Sequence[Document]], profile: str, metric: Metric) -> ObserverCost:
    values = {arm: [values_of(run, 0, metric)[0] for run in runs] for arm, runs in found.items()}
    noise = find_noise([values["alone"], values["alone again"]])
    if noise is None:
        raise RuntimeError(f"{METRICS[metric].title} is 0 in a trial, so it has no ratio.")
    alone = _mean([*values["alone"], *values["alone again"]])
    watched = _mean(values["watched"])
    return ObserverCost(profile, metric, alone, watched, watched / alone, noise.smallest_ratio)


def _mean(values: Sequence[float]) -> float:
    return exp(fmean(map(log, values)))


def _show(costs: Sequence[ObserverCost]) -> None:
    print(f"\n{'':46}{'alone':>12}{'watched':>12}{'ratio':>8}{'detectable':>12}")
    for cost in costs:
        figures = f"{cost.alone:12,.4g}{cost.watched:12,.4g}"
        mark = "" if cost.is_hidden else "  beyond"
        print(
            f"{cost.profile:16}{cost.metric:30}{figures}{cost.ratio:8.3f}"
            f"{cost.detectable_ratio:12.3f}{mark}"
        )


if __name__ == "__main__":
    main()
