"""Makes contexts of trials for tests of single stages."""

from pathlib import Path
from uuid import uuid4

from backend.core.config import ROOT
from backend.core.runs.live.events import LoadSecond, UsageSecond
from backend.core.statuses import TrialStatus
from backend.core.units import Isolation, Phase, ProfileKind
from worker.bench.bench import Bench
from worker.runtime.base import Runtime
from worker.stages.assignment import Assignment
from worker.stages.context import TrialContext
from worker.stages.watch import Watch
from worker.tests.runtime.bench import CPUS, never


class RecordedProgress:
    """Records what a trial reports."""

    def __init__(self) -> None:
        self.stage = TrialStatus.BUILDING
        self.stages: list[TrialStatus] = []
        self.samples: list[tuple[Phase, int, LoadSecond, UsageSecond]] = []
        self.lines: list[tuple[str, str]] = []

    def enter(self, stage: TrialStatus, *, is_awaited: bool = True) -> None:  # noqa: ARG002
        self.stage = stage
        self.stages.append(stage)

    def sample(self, phase: Phase, second: int, load: LoadSecond, usage: UsageSecond) -> None:
        self.samples.append((phase, second, load, usage))

    def log(self, name: str, line: str) -> None:
        self.lines.append((name, line))


def make_bench(runtime: Runtime) -> Bench:
    """Return a bench host with this runtime and the catalogue of the repository."""
    return Bench(
        host_id=uuid4(),
        queue="test",
        name="test",
        runtime=runtime,
        runtime_reason="",
        cpus=CPUS,
        services_dir=ROOT / "services",
        bases=None,
        fingerprint={"isolation": Isolation.NONE},
        fingerprint_digest="",
        harness={},
        load_memory_bytes=1 << 30,
        keeps_k6_summary=False,
        k6=Path("k6"),
    )


def make_assignment(framework: str, scenario: str) -> Assignment:
    """Return a trial at a constant rate."""
    return Assignment(
        trial_id=uuid4(),
        attempt=1,
        run_id=uuid4(),
        cell_id=uuid4(),
        repetition=0,
        framework=framework,
        scenario=scenario,
        kind=ProfileKind.RATE,
        parameters={},
        seed=1,
    )


def make_context(runtime: Runtime, assignment: Assignment) -> TrialContext:
    """Return the context of a trial that is never stopped."""
    watch = Watch(assignment.trial_id, never)
    return TrialContext(make_bench(runtime), assignment, RecordedProgress(), watch)
