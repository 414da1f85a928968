"""Results of trials that are made instead of measured: lines of the load generator, resources,
and builds. The code of workers parses, adds, judges and stores them like those of real trials.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from backend.core.catalog.folders import Catalogue
from backend.core.config import Settings
from backend.core.cpus import parse_cpu_list
from backend.core.documents import HostFingerprint
from backend.core.second import ResourceUse
from tools.benchmarks.seed_scale import make_distribution
from worker.bench.bench import Bench
from worker.pipeline.collect import store_results
from worker.resources.counters import ResourceReading
from worker.runtime.base import Artifact, BuildRequest, CpuSets
from worker.runtime.process import ProcessRuntime
from worker.sampling.sampler import ResourceSecond
from worker.stages.assignment import Assignment
from worker.stages.build import BuiltProgram, Materials
from worker.stages.context import TrialContext
from worker.stages.load import FinishedLoad
from worker.stages.runner import StageOutputs
from worker.stages.start import ReadyService
from worker.stages.verify import Verification

_RATE_RPS = 1000
# Enough different seconds that equal seconds never follow each other.
_SHAPES = 40


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


def make_lines(shapes: Sequence[dict[str, object]], seconds: int) -> Iterator[str]:
    """Return the output of the load generator in a trial. Each tenth second has two lines."""
    for second in range(seconds):
        shape = shapes[second * 7 % len(shapes)]
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
