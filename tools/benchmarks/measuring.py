"""Shared code of benchmarks that measure: a separate Tacho, its runs, and the JSON line."""

import base64
import json
import os
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.units import Metric, Purpose, RuntimeKind
from tools.benchmarks.api import Document, describe
from tools.benchmarks.needs import find_runtime, require_docker
from tools.benchmarks.stack import Stack

_DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Truth:
    """Work and latencies of the reference service in one trial, by its log (services/reference).

    Attributes:
        waited: latencies from arrival to answer.
        burnt_us, cpu_us: CPU time per request in full seconds: burnt on purpose, and of the process
        by getrusage.
    """

    requests: int
    waited: Histogram
    burnt_us: float
    cpu_us: float


def resolve_runtime(requested: RuntimeKind | None = None) -> RuntimeKind:
    """Return the requested runtime, or that of TACHO_RUNTIME, which a worker would choose here.

    Ends the program when it is Docker and this machine cannot measure in containers.
    """
    runtime = requested or find_runtime()
    if runtime is RuntimeKind.DOCKER:
        require_docker()
    return runtime


@contextmanager
def open_stack(
    name: str,
    runtime: RuntimeKind = RuntimeKind.PROCESS,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Stack]:
    """Run a Tacho, with further settings if given, until the benchmark ends."""
    host = f"{name}-{os.getpid()}"
    with (
        tempfile.TemporaryDirectory(prefix="tacho-bench-") as folder,
        Stack(Path(folder), runtime, host, environment) as stack,
    ):
        yield stack


def reference_cell(**parameters: int) -> dict[str, Any]:
    """Return a cell of the reference service."""
    return {
        "framework": "reference",
        "scenario": "calibration",
        "profile": "rate-quick",
        "parameters": parameters,
    }


def run_cells(stack: Stack, cells: Sequence[Mapping[str, Any]], trials: int) -> Document:
    """Run these cells and return the ended run. A run with a failed trial is measured once more.

    Raises:
        RuntimeError: it did not succeed the second time either.
    """
    body = {
        "cells": list(cells),
        "trials": trials,
        "host": stack.settings.bench_host,
        "purpose": Purpose.CALIBRATION,
    }
    ended = stack.api.await_run(stack.api.post("/runs", body), _DAY_SECONDS)
    if ended["status"] == "succeeded":
        return ended
    print(f"Measured once more, because the run did not succeed: {describe(ended)}", flush=True)
    return stack.api.await_success(stack.api.post("/runs", body), _DAY_SECONDS)


def trials_of(run: Document, cell: int) -> list[Document]:
    """Return the trials of a run's cell, ordered by repetition."""
    identifier = run["cells"][cell]["id"]
    own = [trial for trial in run["trials"] if trial["cell_id"] == identifier]
    return sorted(own, key=lambda trial: int(trial["repetition"]))


def values_of(run: Document, cell: int, metric: Metric) -> list[float]:
    """Return a metric of each trial of a run's cell, ordered by repetition."""
    return [float(trial["metrics"][metric]) for trial in trials_of(run, cell)]


def read_truth(stack: Stack, trial: Document, rate_rps: int) -> Truth:
    """Read the log of the reference service, which has a line per second, perhaps not for the last.

    Seconds far below the rate are left out: they contain the requests of the contract's checks.
    The second in which the load began is left out too.
    """
    logs = stack.api.get(f"/trials/{trial['id']}/logs")["items"]
    text = next(log["content"] for log in logs if log["name"] == "service")
    seconds = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    full = [second for second in seconds if second["requests"] > 0.8 * rate_rps]
    if len(full) < 3:
        raise RuntimeError(f"Too few full seconds in the reference service's log: {text[-500:]}")
    waited = Histogram.merge_all(
        Histogram.from_varints(base64.b64decode(second["waited"])) for second in full
    )
    whole = full[1:]
    requests = sum(second["requests"] for second in whole)
    return Truth(
        requests=waited.count,
        waited=waited,
        burnt_us=sum(second["burnt_seconds"] for second in whole) / requests * 1e6,
        cpu_us=sum(second["cpu_seconds"] for second in whole) / requests * 1e6,
    )


def count_verdicts(*runs: Document) -> dict[str, int]:
    """Return the number of trials with each verdict."""
    return dict(
        Counter(
            verdict["verdict"]
            for run in runs
            for trial in run["trials"]
            for verdict in trial["verdicts"]
        )
    )


def is_within(
    figures: Mapping[str, Any], goals: Mapping[str, float], least: Collection[str] = ()
) -> bool:
    """Return whether all figures with a goal are known and meet it.

    Args:
        least: the goals that a figure has to reach. It must not exceed the others.
    """
    return all(
        figures[name] is not None
        and (figures[name] >= goal if name in least else figures[name] <= goal)
        for name, goal in goals.items()
    )


def print_result(
    bench: str, figures: Mapping[str, Any], goals: Mapping[str, Any], *, met: bool
) -> None:
    """Print the JSON line that ends a benchmark."""
    line = {"bench": bench, "figures": figures, "goals": goals, "met": met}
    print(json.dumps(line), flush=True)
