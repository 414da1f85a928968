"""Measure what storing a long run costs the worker: `make bench-ingest`.

A run of 100 trials of 10 minutes goes through all steps of a worker, as fast as possible: lines of
the load generator are parsed and added, seconds are joined with resources, judged, summarised and
copied into a durable PostgreSQL. Only the load itself is generated. The last line is one JSON
object.

`collect` is the time that a trial waits after its load has ended: joining, metrics, verdicts, COPY
and commit. Lines are parsed while the load runs, and timed separately.
"""

import argparse
import base64
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import psutil
from sqlalchemy import func, select

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.repository import get_host
from backend.core.config import Settings
from backend.core.cpus import parse_cpu_list
from backend.core.db import unit_of_work
from backend.core.documents import HostFingerprint
from backend.core.models import Sample
from backend.core.runs.status import STAGES
from backend.core.runs.trials import service as trials
from backend.core.second import ResourceUse
from backend.core.statuses import TrialStatus
from backend.platform.tools import resolve_tools
from tools.benchmarks.measuring import is_within, open_stack, print_result
from tools.benchmarks.seed_scale import make_distribution
from tools.benchmarks.stack import Stack
from worker.bench.bench import Bench
from worker.loadgen.parse import EndLine, SecondLine, parse_line
from worker.pipeline.collect import store_results
from worker.pipeline.reporter import Reporter
from worker.pipeline.run import to_assignment
from worker.resources.counters import ResourceReading
from worker.runtime.base import Artifact, BuildRequest, CpuSets
from worker.runtime.process import ProcessRuntime
from worker.sampling.sampler import ResourceSecond
from worker.stages.assignment import Assignment
from worker.stages.build import BuiltProgram, Materials
from worker.stages.context import TrialContext
from worker.stages.load import FinishedLoad, LoadReport, join
from worker.stages.runner import StageOutputs
from worker.stages.seconds import SecondSum
from worker.stages.start import ReadyService
from worker.stages.verify import Verification
from worker.stages.watch import Watch
from worker.stages.window import Window

_FRAMEWORKS = ("go-nethttp", "node")
_TRIALS_A_CELL = 50
_DURATION_SECONDS = 600
_RATE_RPS = 1000
_GOALS = {"rss_mb": 300, "lost_seconds": 0, "collect_ms": 50}
# Enough different seconds that equal seconds never follow each other.
_SHAPES = 40


@dataclass(frozen=True)
class Spent:
    """The costs of a trial: ms after the end of its load, the worker's CPU time in it, and µs per
    line during the load.
    """

    collect_ms: float
    collect_cpu_ms: float
    line_us: float


def main() -> None:
    """Print the table and the JSON line. `met` is true if all goals are met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=_TRIALS_A_CELL, help="per cell, of two cells")
    asked = parser.parse_args()
    with open_stack("bench-ingest", durable=True) as stack:
        # This process replaces the worker.
        for part in ("dispatcher", "worker"):
            stack.stop(part)
        stack.use_here()
        measure(stack, asked.trials)


def measure(stack: Stack, trials_a_cell: int) -> None:
    """Store a whole run and print its costs."""
    bench = make_bench(stack.settings)
    cells = [
        {
            "framework": slug,
            "scenario": "hello",
            "profile": "rate-full",
            "parameters": {
                "warm_up_seconds": 0,
                "duration_seconds": _DURATION_SECONDS,
                "rate_rps": _RATE_RPS,
            },
        }
        for slug in _FRAMEWORKS
    ]
    run = stack.create_run(cells, trials=trials_a_cell)
    count = len(run["trials"])
    shapes = make_shapes(np.random.default_rng(1))
    process = psutil.Process()
    spent, rss_mb = [], []
    print(f"{'trials':>8}{'collect ms':>12}{'max':>8}{'its CPU':>9}{'line µs':>9}{'RSS MB':>8}")
    for number in range(count):
        spent.append(pass_trial(bench, shapes, number))
        rss_mb.append(process.memory_info().rss / 1e6)
        if (number + 1) % 20 == 0 or number + 1 == count:
            recent = spent[-20:]
            times = [item.collect_ms for item in recent]
            cpu_ms = statistics.median(item.collect_cpu_ms for item in recent)
            line_us = statistics.median(item.line_us for item in recent)
            print(
                f"{number + 1:8}{statistics.median(times):12.1f}{max(times):8.1f}"
                f"{cpu_ms:9.1f}{line_us:9.0f}{rss_mb[-1]:8.0f}"
            )
    with unit_of_work() as session:
        kept = session.scalar(select(func.count()).select_from(Sample)) or 0
    status = stack.api.get_run(run)["status"]
    if status != "succeeded":
        raise RuntimeError(f"The run is {status} after its last trial.")
    figures = {
        "trials": count,
        "collect_ms": round(statistics.median(item.collect_ms for item in spent), 1),
        "collect_max_ms": round(max(item.collect_ms for item in spent), 1),
        "collect_cpu_ms": round(statistics.median(item.collect_cpu_ms for item in spent), 1),
        "line_us": round(statistics.median(item.line_us for item in spent), 1),
        "rss_mb": round(max(rss_mb)),
        "rss_growth_after_first_mb": round(max(rss_mb) - rss_mb[0]),
        "lost_seconds": count * _DURATION_SECONDS - kept,
    }
    print_result("ingest", figures, _GOALS, met=is_within(figures, _GOALS))


def pass_trial(bench: Bench, shapes: Sequence[dict[str, object]], number: int) -> Spent:
    """Claim the next trial, process its values as the pipeline does, and end it."""
    with unit_of_work() as session:
        claimed = trials.claim_next(session, bench.host_id)
        if claimed is None:
            raise RuntimeError("There is no trial to claim.")
        assignment = to_assignment(claimed)
        for stage in STAGES[1:]:
            trials.enter_stage(session, assignment.claim, stage, {})
    materials = make_materials(bench, assignment)
    context = TrialContext(
        bench,
        assignment,
        Reporter(assignment, bench.queue, bench.runtime.kind),
        Watch(assignment.trial_id, is_stopping=lambda: False),
    )
    window = Window(assignment.kind, assignment.parameters)
    result = LoadReport(window)
    lines = list(make_lines(shapes, number))
    begin = time.perf_counter()
    for text in lines:
        line = parse_line(text)
        if isinstance(line, SecondLine):
            is_new = line.second not in result.seconds
            total = result.seconds.setdefault(line.second, SecondSum())
            total.add(line)
            if is_new:
                total.as_live()
            window.take(line.second, result.seconds, ())
        elif isinstance(line, EndLine):
            result.end = line
    line_us = (time.perf_counter() - begin) / len(lines) * 1e6
    rows = [make_row(second) for second in range(_DURATION_SECONDS)]
    begin, cpu = time.perf_counter(), time.process_time()
    finished = join(result, rows, "")
    store_trial(context, materials, finished)
    collect_ms = (time.perf_counter() - begin) * 1e3
    collect_cpu_ms = (time.process_time() - cpu) * 1e3
    with unit_of_work() as session:
        trials.end_trial(session, assignment.claim, TrialStatus.SUCCEEDED, stage_seconds={})
    return Spent(collect_ms, collect_cpu_ms, line_us)


def store_trial(context: TrialContext, materials: Materials, finished: FinishedLoad) -> None:
    """Store the results of a trial whose stages succeeded."""
    outputs = StageOutputs(materials, _STARTED, Verification(), finished, _LAST, Verification())
    store_results(context, outputs)


def make_shapes(rng: np.random.Generator) -> list[dict[str, object]]:
    """Return the fields of lines for seconds: a rate with lognormal latencies, like those of a real
    service."""
    shapes = []
    for _ in range(_SHAPES):
        latencies = (rng.lognormal(0.0, 0.6, _RATE_RPS) * 1e6).astype(np.int64)
        lateness = rng.exponential(20_000, _RATE_RPS).astype(np.int64)
        shapes.append(
            {
                "requests": _RATE_RPS,
                "failed": 0,
                "errors": {},
                "connections_opened": 0,
                "bytes_sent": 80 * _RATE_RPS,
                "bytes_received": 130 * _RATE_RPS,
                "vus": 100,
                "in_flight": float(latencies.sum() / 1e9),
                "dropped": 0,
                "latency_sum_ns": int(latencies.sum()),
                "latency_max_ns": int(latencies.max()),
                "latency": _encode(latencies),
                "latency_failed": "",
                "lateness": _encode(lateness),
            }
        )
    return shapes


def make_lines(
    shapes: Sequence[dict[str, object]], number: int, seconds: int = _DURATION_SECONDS
) -> Iterator[str]:
    """Return the output of the load generator in a trial. Each tenth second has two lines."""
    for second in range(seconds):
        shape = shapes[(second * 7 + number) % len(shapes)]
        yield json.dumps({"type": "second", "second": second, **shape})
        if second % 10 == 9:
            late = {**shape, "requests": 0, "in_flight": 0.2, "vus": 100, "lateness": ""}
            late |= {"latency": "", "latency_sum_ns": 0, "latency_max_ns": 0}
            yield json.dumps({"type": "second", "second": second, **late})
    total = seconds * _RATE_RPS
    yield json.dumps({"type": "end", "requests": total, "dropped": 0, "interrupted": 0})


def make_row(second: int) -> ResourceSecond:
    """The resources of a second."""
    resources = replace(
        ResourceUse.unknown(),
        cpu_service_seconds=0.21 + second % 7 / 1000,
        cpu_backing_seconds=0.0,
        cpu_load_seconds=0.12,
        cpu_other_seconds=0.02,
        cpu_steal_seconds=0.0,
        throttled_seconds=0.0,
        memory_bytes=80_000_000 + second * 1000,
        memory_anon_bytes=60_000_000,
        memory_file_bytes=20_000_000,
        memory_sock_bytes=40_960,
        threads=12,
    )
    return ResourceSecond(second, resources, "cgroup_v2")


_LAST = ResourceReading(
    cpu_seconds=130.0,
    memory_bytes=81_000_000,
    memory_peak_bytes=90_000_000,
    memory_anon_bytes=60_000_000,
    threads=12,
    source="cgroup_v2",
)
_STARTED = ReadyService(boot_ms=12.0, first_response_ms=1.5, idle=_LAST, environment={}, folder="")


def make_bench(settings: Settings) -> Bench:
    """The bench that the stack's worker has registered, with the data that the end of a trial
    needs."""
    with unit_of_work() as session:
        host = get_host(session, settings.bench_host)
        fingerprint, digest, host_id = host.fingerprint, host.fingerprint_digest, host.id
    return make_idle_bench(
        settings,
        ProcessRuntime(settings.data / "k6", settings.data, resolve_tools()),
        host_id,
        settings.bench_host,
        fingerprint=fingerprint,
        fingerprint_digest=digest,
        harness={"tacho": "bench", "k6_sha256": "0" * 64},
    )


def make_idle_bench(
    settings: Settings,
    runtime: ProcessRuntime,
    host_id: UUID,
    name: str,
    *,
    fingerprint: HostFingerprint,
    fingerprint_digest: str,
    harness: dict[str, Any],
) -> Bench:
    """Return a bench that starts neither services nor load."""
    cpus = {role: parse_cpu_list(text) for role, text in fingerprint["cpus"].items()}
    return Bench(
        host_id=host_id,
        queue=name,
        name=name,
        runtime=runtime,
        runtime_reason="It is a benchmark.",
        cpus=CpuSets(**cpus),
        services_dir=settings.services_dir,
        bases=None,
        fingerprint=fingerprint,
        fingerprint_digest=fingerprint_digest,
        harness=harness,
        load_memory_bytes=0,
        keeps_k6_summary=False,
        k6=Path("k6"),
    )


def make_materials(
    bench: Bench, assignment: Assignment, catalogue: Catalogue | None = None
) -> Materials:
    """The build, which is empty here."""
    catalogue = catalogue or Catalogue(bench.services_dir)
    manifest, folder = catalogue.get_framework(assignment.framework)
    scenario, scenario_folder = catalogue.get_scenario(assignment.scenario)
    request = BuildRequest(manifest.slug, folder, "0" * 64, manifest.docker, manifest.process)
    artifact = Artifact("none", "0" * 64, 0.0, 10_000_000, cached=True)
    return Materials(
        manifest,
        scenario,
        scenario_folder,
        "0" * 64,
        BuiltProgram(request, artifact),
        peers=[],
        backing_services={},
    )


def _encode(values_ns: np.ndarray) -> str:
    """Return the encoded histogram of these values."""
    return base64.b64encode(make_distribution(values_ns).to_varints()).decode()


if __name__ == "__main__":
    main()
