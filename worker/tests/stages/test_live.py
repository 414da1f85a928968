"""The live view: what other programs take from a trial is shown while it happens."""

from dataclasses import fields
from typing import Any

from backend.core.runs.live.events import LoadSecond
from backend.core.second import ResourceUse
from backend.core.units import Phase
from worker.sampling.sampler import ResourceSecond
from worker.stages.live import LiveView
from worker.tests.stages.contexts import RecordedProgress

LOAD = LoadSecond(
    requests=1,
    failed=0,
    dropped=0,
    in_flight=1.0,
    latency_p50_ms=1.0,
    latency_p99_ms=1.0,
    latency_max_ms=1.0,
)


def test_the_share_of_other_programs_and_the_hypervisor_is_published() -> None:
    progress = RecordedProgress()
    view = LiveView(progress, trial_cpus=2)
    unknown: dict[str, Any] = dict.fromkeys(field.name for field in fields(ResourceUse))
    use = ResourceUse(**unknown | {"cpu_other_seconds": 0.5, "cpu_steal_seconds": 0.1})

    view.take_load(0, (Phase.MEASURE, 0), LOAD)
    view.take_resources(ResourceSecond(0, use, "of a test"))

    ((_, _, _, usage),) = progress.samples
    assert usage.taken_share == 0.3
