"""Verifies many services, as many at the same time as the machine allows."""

import os
import threading
import time
from collections.abc import Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psutil
from rich.console import Console
from rich.status import Status

from worker.bench.bench import Bench, list_unavailable
from worker.verify import report
from worker.verify.record import Record, digest_of
from worker.verify.trial import try_service

# The largest topology, six services on JVMs, needs this much.
_MEMORY_BYTES = 6 << 30


@dataclass(frozen=True)
class VerifyOptions:
    """The options of the command. `ends` is a time of `time.monotonic`."""

    profile: str | None
    resume: bool
    ends: float
    times: int
    reruns: int
    at_once: int


def count_at_once() -> int:
    """Return how many services this host can verify at once, judged by CPUs and memory."""
    by_memory = psutil.virtual_memory().total // _MEMORY_BYTES
    return max(1, min(len(os.sched_getaffinity(0)), by_memory))


def verify_every(
    console: Console,
    bench: Bench,
    chosen: Mapping[str, Sequence[str]],
    record: Record,
    options: VerifyOptions,
) -> bool:
    """Verify services; return whether all that can run here and were reached in time have passed.

    Args:
        chosen: slugs of scenarios by slug of the framework, in the order of their starts.
    """
    begun = time.monotonic()
    catalogue = bench.read_catalogue()
    unavailable = list_unavailable(bench.runtime, catalogue)
    pairs = [(slug, scenario) for slug, scenarios in chosen.items() for scenario in scenarios]
    with console.status("") as status, ThreadPoolExecutor(options.at_once) as pool:
        verifier = _ServiceVerifier(console, status, bench, record, options, unavailable)
        states = dict(zip(pairs, pool.map(lambda pair: verifier.verify(*pair), pairs), strict=True))
    rows = {
        slug: {scenario: states[slug, scenario] for scenario in scenarios}
        for slug, scenarios in chosen.items()
    }
    columns = [name for name in catalogue.scenarios if any(name in row for row in rows.values())]
    reasons = {slug: reason for slug, reason in unavailable.items() if slug in chosen}
    seconds = time.monotonic() - begun
    title = f"Runtime {bench.runtime.kind}, {options.at_once} at once, {seconds:.0f} s"
    report.print_matrix(console, title, columns, rows, reasons)
    console.print(report.summarise(states.values()), highlight=False)
    return bool(states) and report.FAILED not in states.values()


class _ServiceVerifier:
    """Verifies services in parallel and shows which stages are under way."""

    def __init__(
        self,
        console: Console,
        status: Status,
        bench: Bench,
        record: Record,
        options: VerifyOptions,
        unavailable: Container[str],
    ) -> None:
        self._console = console
        self._status = status
        self._bench = bench
        self._record = record
        self._options = options
        self._unavailable = unavailable
        self._lock = threading.Lock()  # for the output and the record
        self._stages: dict[str, str] = {}

    def verify(self, framework: str, scenario: str) -> str:
        """Return the state: passed if each repetition passed, at the first try or in a rerun."""
        if framework in self._unavailable:
            return report.UNAVAILABLE
        if self._options.resume and self._record.has(self._bench, framework, scenario):
            return report.SKIPPED
        if time.monotonic() >= self._options.ends:
            return report.UNREACHED
        digest = digest_of(self._bench, framework, scenario)
        has_passed = all(self._try_again(framework, scenario) for _ in range(self._options.times))
        with self._lock:
            self._record.put(self._bench, framework, scenario, digest if has_passed else None)
        return report.PASSED if has_passed else report.FAILED

    def _try_again(self, framework: str, scenario: str) -> bool:
        name = f"{framework} × {scenario}"
        for attempt in range(1 + self._options.reruns):
            if attempt:
                with self._lock:
                    self._console.print(f"RERUN {name}", highlight=False)
            outcome = try_service(
                self._bench,
                framework,
                scenario,
                self._options.profile,
                lambda stage: self._show(name, stage.replace("_", " ")),
            )
            self._show(name, None)
            with self._lock:
                report.print_outcome(self._console, outcome)
            if outcome.has_passed:
                return True
        return False

    def _show(self, name: str, stage: str | None) -> None:
        """Show the stages under way in a line; None removes this service."""
        with self._lock:
            self._stages.pop(name, None)
            if stage is not None:
                self._stages[name] = stage
            self._status.update(", ".join(f"{key}: {now}" for key, now in self._stages.items()))
