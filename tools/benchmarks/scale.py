"""Generate runs, trials and values for a large installation; see seed_scale."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import find_profile, resolve_parameters
from backend.core.db import new_id
from backend.core.models import Framework, Host, Scenario
from backend.core.runs.slug import new_slug
from backend.core.units import Metric, RuntimeKind

SECONDS = 180
RATE_RPS = 1000
# The run with the most crowded charts: its cells, their trials, and the seconds of each.
WIDE_CELLS = 20
WIDE_TRIALS = 2
WIDE_SECONDS = 600
_TRIALS_A_CELL = 5
_NIGHTLY_EVERY = 10
_NIGHTLY = ("node", "go-nethttp")
# A level shift of a framework × scenario: the mean distance in runs of the installation, and the
# largest ratio.
_RUNS_BETWEEN_CHANGES = 1500
_LARGEST_CHANGE = 0.15
# Typical levels, and their variation between frameworks and scenarios (sd of logs).
_LEVELS: Mapping[Metric, float] = {
    Metric.THROUGHPUT_RPS: 1000,
    Metric.SUCCESS_RATIO: 1,
    Metric.LATENCY_P50_MS: 0.8,
    Metric.LATENCY_P90_MS: 1.6,
    Metric.LATENCY_P95_MS: 2.1,
    Metric.LATENCY_P99_MS: 4.0,
    Metric.LATENCY_P999_MS: 9.0,
    Metric.LATENCY_MAX_MS: 30.0,
    Metric.LATENCY_MEAN_MS: 1.0,
    Metric.CPU_US_PER_REQUEST: 90,
    Metric.CPU_SECONDS: 16,
    Metric.MEMORY_PEAK_BYTES: 150e6,
    Metric.MEMORY_ANON_BYTES: 110e6,
    Metric.MEMORY_FILE_BYTES: 30e6,
    Metric.IDLE_MEMORY_BYTES: 90e6,
    Metric.THREADS_PEAK: 20,
    Metric.BOOT_MS: 700,
    Metric.FIRST_RESPONSE_MS: 12,
    Metric.REQUEST_BYTES: 90,
    Metric.RESPONSE_BYTES: 160,
    Metric.IMAGE_BYTES: 150e6,
}
# Equal in every trial.
_CONSTANT = frozenset({Metric.SUCCESS_RATIO, Metric.REQUEST_BYTES, Metric.RESPONSE_BYTES})
ENVIRONMENT: dict[str, Any] = {
    "host": {
        "cpu_model": "Made-up CPU",
        "logical_cores": 16,
        "memory_bytes": 64 << 30,
        "kernel": "6.12.0",
        "engine": "docker",
        "engine_version": "29.0.1",
        "cpu_flags_digest": "5" * 16,
        "architecture": "x86_64",
        "cpu_governor": "performance",
        "cpu_frequency_driver": "intel_pstate",
        "cpu_turbo": "off",
        "threads_per_core": 2,
        "cpu_layout": dict.fromkeys(("service", "load", "backing"), "1 core with 2 threads"),
        "cpu_notes": [],
        "service_cores": 1,
        "mitigations": {f"weakness {number}": "Mitigation: on" for number in range(16)},
    },
    "host_digest": "1" * 64,
    "harness": {"k6": "v2.2.0", "tacho": "0.1.0"},
    "harness_digest": "2" * 64,
    "runtime": "docker",
    "cpus": {"service": [0, 8], "load": [1, 9], "backing": [2, 10]},
    "cpu_sharing": [],
    "isolation_notes": [],
    "resource_source": "cgroup v2",
    "framework_digest": "3" * 64,
    "scenario_digest": "4" * 64,
}


@dataclass(frozen=True)
class SeededPair:
    """The random choices for a framework × scenario: its load and its levels over time."""

    framework: Framework
    scenario: Scenario
    profile: str
    kind: str
    parameters: dict[str, int]
    factor: float
    # The runs of the installation at which the level changes, with the factors.
    steps: tuple[tuple[int, float], ...]

    def level(self, run: int) -> float:
        """Return the factor at run number `run` of the installation."""
        changed = [by for at, by in self.steps if at <= run]
        return self.factor * float(np.prod(changed)) if changed else self.factor


@dataclass(frozen=True)
class Rows:
    """A run as rows."""

    run: dict[str, Any]
    cells: list[dict[str, Any]]
    trials: list[dict[str, Any]]
    levels: list[float]


def draw_pairs(session: Session, rng: np.random.Generator, run_count: int) -> list[SeededPair]:
    scenarios = catalog.list_scenarios(session)
    pairs = []
    for framework in catalog.list_frameworks(session):
        own = rng.normal(0, 0.5)
        for scenario in scenarios:
            if scenario.slug not in framework.manifest["scenarios"]:
                continue
            profile = find_profile(ScenarioManifest.model_validate(scenario.manifest), None)
            if profile is None:
                raise RuntimeError(f"{scenario.slug} has no profile")
            resolved, _ = resolve_parameters(profile, {})
            steps = rng.integers(0, run_count, rng.poisson(run_count / _RUNS_BETWEEN_CHANGES))
            changes = 1 + rng.uniform(-_LARGEST_CHANGE, _LARGEST_CHANGE, len(steps))
            pairs.append(
                SeededPair(
                    framework,
                    scenario,
                    profile.slug,
                    profile.kind,
                    resolved[0],
                    float(np.exp(own + rng.normal(0, 0.2))),
                    tuple(zip(steps.tolist(), changes.tolist(), strict=True)),
                )
            )
    return pairs


def choose_pairs(
    rng: np.random.Generator, pairs: Sequence[SeededPair], number: int
) -> list[SeededPair]:
    """Return the cells of the run with this number."""
    if number % _NIGHTLY_EVERY == 0:
        return [
            pair
            for pair in pairs
            if pair.framework.slug in _NIGHTLY and pair.scenario.slug == "hello"
        ]
    first = pairs[int(rng.integers(len(pairs)))]
    others = [pair for pair in pairs if pair.scenario.slug == first.scenario.slug]
    return [first, others[int(rng.integers(len(others)))]]


def choose_wide(pairs: Sequence[SeededPair]) -> list[SeededPair]:
    """As many frameworks as a crowded chart has lines."""
    return [pair for pair in pairs if pair.scenario.slug == "hello"][:WIDE_CELLS]


def draw_run(
    rng: np.random.Generator,
    host: Host,
    chosen: Sequence[SeededPair],
    number: int,
    at: datetime,
    trials_a_cell: int = _TRIALS_A_CELL,
) -> Rows:
    """Return a run of these pairs, created at this time."""
    end = at + timedelta(minutes=40)
    run = {
        "id": new_id(),
        "slug": new_slug(),
        "title": ", ".join(pair.framework.name for pair in chosen),
        "status": "succeeded",
        "visibility": "public",
        "purpose": "comparison",
        "host_id": host.id,
        "trials_per_cell": trials_a_cell,
        "seed": number,
        "request_digest": "0" * 64,
        "created_at": at,
        "started_at": at,
        "finished_at": end,
        "finalized_at": end,
    }
    cells = [
        {
            "id": new_id(),
            "run_id": run["id"],
            "position": position,
            "framework_id": pair.framework.id,
            "scenario_id": pair.scenario.id,
            "framework_digest": pair.framework.digest,
            "scenario_digest": pair.scenario.digest,
            "profile": pair.profile,
            "kind": pair.kind,
            "parameters": pair.parameters,
        }
        for position, pair in enumerate(chosen)
    ]
    trials = [
        {
            # Ids of trials decide in which month their seconds are.
            "id": new_id(at),
            "run_id": run["id"],
            "cell_id": cell["id"],
            "host_id": host.id,
            "repetition": repetition + 1,
            "position": repetition * len(cells) + place,
            "status": "succeeded",
            "attempt": 1,
            "started_at": at,
            "finished_at": end,
            "stage_seconds": {"building": 0.0, "starting": 1.0, "measuring": 180.0},
            "runtime": RuntimeKind.DOCKER,
            "image_digest": cell["framework_digest"],
            "environment": make_environment(cell, chosen[place], number),
            "conformance": [],
            "verdicts": [],
            "requests_total": SECONDS * RATE_RPS,
        }
        for place, cell in enumerate(cells)
        for repetition in range(trials_a_cell)
    ]
    levels = [pair.level(number) * float(np.exp(rng.normal(0, 0.02))) for pair in chosen]
    return Rows(run, cells, trials, levels)


def make_environment(cell: Mapping[str, Any], pair: SeededPair, boot: int) -> dict[str, Any]:
    """Return the environment of a trial: its own builds, on a host that boots between runs.

    The kernel reserves a different amount of memory at each boot.
    """
    host, digest = ENVIRONMENT["host"], cell["framework_digest"]
    return ENVIRONMENT | {
        "host": host | {"memory_bytes": host["memory_bytes"] - 4096 * (boot % 1000)},
        "framework_digest": digest,
        "scenario_digest": cell["scenario_digest"],
        "builds": {pair.framework.slug: digest},
        "image": f"tacho/{pair.framework.slug}:{digest[:12]}",
        "image_ids": {pair.framework.slug: f"sha256:{digest}"},
        "memory_limit_mb": 1024,
    }


def draw_metrics(rng: np.random.Generator, rows: Sequence[Rows]) -> Iterator[dict[str, Any]]:
    for row in rows:
        trials_of: dict[UUID, list[dict[str, Any]]] = {}
        for trial in row.trials:
            trials_of.setdefault(trial["cell_id"], []).append(trial)
        for cell, level in zip(row.cells, row.levels, strict=True):
            for trial in trials_of.get(cell["id"], []):
                if trial["status"] != "succeeded":
                    continue
                noise = np.exp(rng.normal(0, 0.03, len(_LEVELS)))
                for (metric, typical), by in zip(_LEVELS.items(), noise.tolist(), strict=True):
                    value = typical if metric in _CONSTANT else typical * level * by
                    yield {"trial_id": trial["id"], "metric": metric, "value": value}
