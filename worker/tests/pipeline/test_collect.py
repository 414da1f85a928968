"""The results of a trial are stored once, also while connections to the database break."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from backend.core.catalog.build_sources import find_sources
from backend.core.db import unit_of_work
from backend.core.documents import CallCount, ConformanceCheck, HostFingerprint
from backend.core.errors import TakenOver
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.models import Sample, Trial, TrialHistogram, TrialLog
from backend.core.runs.trials import repository
from backend.core.units import Isolation, LatencyStart, RuntimeKind, Verdict
from backend.tests.measuring import histogram_of, second
from worker.loadgen.parse import EndLine, LoadChecks
from worker.pipeline.collect import store_results
from worker.resources.counters import ResourceReading
from worker.runtime.base import Artifact, BuildRequest
from worker.runtime.process import ProcessRuntime
from worker.stages.assignment import Assignment
from worker.stages.build import BuiltProgram, Materials
from worker.stages.context import TrialContext
from worker.stages.load import FinishedLoad
from worker.stages.runner import StageOutputs
from worker.stages.start import ReadyService
from worker.stages.verify import Verification
from worker.stages.window import WarmUp
from worker.tests.pipeline.conftest import claim_again, read_trial
from worker.tests.stages.contexts import make_context

_SECONDS = 5
_LATENCIES_MS = [2.0] * 100
_LAST = ResourceReading(memory_bytes=90_000_000, memory_peak_bytes=95_000_000, source="cgroup_v2")
_CHECKS = LoadChecks(sent=500, answered=500, compared=5, controls=1)
_CHECK = ConformanceCheck(name="answers", passed=True, expected="200", got="200")


@pytest.fixture
def context(process_runtime: ProcessRuntime, assignment: Assignment) -> TrialContext:
    found = make_context(process_runtime, assignment)
    found.logs["service"] = "a line"
    return found


def make_outputs(context: TrialContext) -> StageOutputs:
    catalogue = context.bench.read_catalogue()
    framework, source = catalogue.get_framework(context.assignment.framework)
    scenario, folder = catalogue.get_scenario(context.assignment.scenario)
    request = BuildRequest(framework.slug, source, "0" * 64, framework.docker, framework.process)
    artifact = Artifact("none", "0" * 64, 3.0, 10_000_000, cached=False)
    return StageOutputs(
        Materials(framework, scenario, folder, "", BuiltProgram(request, artifact), [], {}),
        ReadyService(boot_ms=12, first_response_ms=1.5, idle=_LAST, environment={}, folder=""),
        Verification([_CHECK], {"calls of the upstream": 20}),
        FinishedLoad(
            seconds=[second(number, _LATENCIES_MS) for number in range(_SECONDS)],
            warm_up=WarmUp(0, 0, None, "There was no warm-up."),
            lateness=Histogram.empty(),
            first_byte=Histogram.empty(),
            latency=histogram_of(_LATENCIES_MS * _SECONDS),
            latency_failed=Histogram.empty(),
            service_time=Histogram.empty(),
            latency_sum_ns=int(_SECONDS * sum(_LATENCIES_MS) * 1e6),
            latency_max_ns=int(2e6),
            resource_source="cgroup_v2",
            end=EndLine(requests=500, dropped=0, interrupted=0, checks=_CHECKS),
            stderr="",
        ),
        _LAST,
        Verification([_CHECK], {"calls of the upstream": 520}),
    )


def count_rows(trial: Trial) -> tuple[int, int, int]:
    """Return how many seconds, histograms and logs the trial has."""
    with unit_of_work() as session:
        samples, histograms, logs = (
            session.scalar(
                select(func.count()).select_from(model).where(model.trial_id == trial.id)
            )
            for model in (Sample, TrialHistogram, TrialLog)
        )
    return samples or 0, histograms or 0, logs or 0


def test_results_are_stored_once_while_connections_break(
    context: TrialContext, end_outages: Callable[[], None]
) -> None:
    store_results(context, make_outputs(context))
    end_outages()

    trial = read_trial(context.assignment)
    assert count_rows(trial) == (_SECONDS, 1, 1)
    assert trial.requests_total == _SECONDS * len(_LATENCIES_MS)
    assert trial.conformance == trial.conformance_after == [_CHECK]
    assert trial.checks is not None
    assert trial.checks["answered"] == 500
    assert trial.checks["counts"] == [CallCount(name="calls of the upstream", calls=500)]
    assert Verdict.WORK_NOT_DONE not in {warning["verdict"] for warning in trial.verdicts}
    assert trial.environment["runtime"] == RuntimeKind.PROCESS
    assert trial.environment["language_settings"] == {
        "node": "NODE_OPTIONS=--max-old-space-size=512 --max-semi-space-size=16"
    }


@pytest.mark.parametrize(
    ("lateness", "latency_from", "service_time"),
    [
        (histogram_of([0.1] * 3), LatencyStart.DUE, histogram_of([0.5] * 3).to_varints()),
        (Histogram.empty(), LatencyStart.SEND, None),
    ],
)
def test_a_result_states_from_when_its_latency_counts(
    context: TrialContext,
    lateness: Histogram,
    latency_from: LatencyStart,
    service_time: bytes | None,
) -> None:
    outputs = make_outputs(context)
    timed = replace(outputs.load, lateness=lateness, service_time=histogram_of([0.5] * 3))
    store_results(context, replace(outputs, load=timed))

    with unit_of_work() as session:
        trial = repository.get_trial(session, context.assignment.trial_id)
        (stored,) = measurements.list_histograms(session, [trial.id])
    assert trial.environment["latency_from"] == latency_from
    assert stored.service_time == service_time


def test_a_trial_states_what_its_host_does_to_the_numbers(context: TrialContext) -> None:
    notes = ["The service has one core."]
    fingerprint = HostFingerprint(
        isolation=Isolation.NAMESPACES_FILTER, memory_fault="there is no group", cpu_notes=notes
    )
    small = replace(context, bench=replace(context.bench, fingerprint=fingerprint))
    store_results(small, make_outputs(small))

    environment = read_trial(small.assignment).environment
    assert environment["cpu_sharing"] == notes
    (note,) = environment["isolation_notes"]
    assert note.startswith("Memory was not limited, because there is no group.")


def test_the_source_of_a_build_is_recorded_unless_it_was_edited_since(
    context: TrialContext,
) -> None:
    outputs = make_outputs(context)
    request = outputs.materials.service.request
    # The digest of this build is not that of the files.
    store_results(context, outputs)
    digest = context.bench.digest(request.source, request.docker)
    service = replace(outputs.materials.service, request=replace(request, digest=digest))
    store_results(context, replace(outputs, materials=replace(outputs.materials, service=service)))

    with unit_of_work() as session:
        trial = repository.get_trial(session, context.assignment.trial_id)
        found = find_sources(session, trial.host_id, [request.digest, digest])
    assert set(found) == {digest}
    assert found[digest].program == context.assignment.framework
    assert found[digest].versions["framework"]
    assert "service.toml" in {file["path"] for file in found[digest].files}


def test_results_of_a_trial_that_was_claimed_again_are_refused(context: TrialContext) -> None:
    claim_again(context.assignment)

    with pytest.raises(TakenOver):
        store_results(context, make_outputs(context))

    assert count_rows(read_trial(context.assignment)) == (0, 0, 0)
