"""Plan, queue and read reproductions of studies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.study import StudyManifest, read_study
from backend.core.catalog.study_plan import Plan, plan_study
from backend.core.computed_once import ComputedOnce
from backend.core.cpus import read_cpu_sets
from backend.core.documents import CellRequest, RunRequest, Step
from backend.core.errors import InvalidRequest
from backend.core.measurement.instrument.disagreement import NO_ERROR, InstrumentError
from backend.core.measurement.instrument.service import find_run_error
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.series import second_of
from backend.core.measurement.measurements.steps import list_steps
from backend.core.models import Cell, Framework, Host, Run, Scenario, Trial
from backend.core.people.access.viewer import INSTALLATION, Viewer
from backend.core.results.cell_result import RunCellResult
from backend.core.results.run_results.service import read_summaries
from backend.core.results.studies.measured import MeasuredCell, MeasuredStep, Reproduction
from backend.core.runs import service
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.queue import repository as queues
from backend.core.runs.queue.hosts import get_candidate, list_candidates
from backend.core.runs.status import TRIAL_ENDS
from backend.core.second import Second
from backend.core.statuses import StudyVariant, TrialStatus, Visibility
from backend.core.units import ProfileKind, Verdict

# Verdicts that a study states in other words.
_NOT_SHOWN = frozenset({Verdict.OK, Verdict.TOO_FEW_TRIALS})
# Studies with the time of their last change. They rarely change, and their tables are long.
_MOST_KNOWN = 100
_manifests: ComputedOnce[tuple[UUID, datetime], StudyManifest] = ComputedOnce(_MOST_KNOWN)


def list_studies(session: Session) -> list[StudyManifest]:
    """Return the manifests of present studies in catalogue order."""

    def read_all(_: object) -> dict[tuple[UUID, datetime], StudyManifest]:
        stored = catalog.list_studies(session)
        return {(study.id, study.updated_at): read_study(study.manifest) for study in stored}

    keys = [
        (study.id, study.updated_at) for study in catalog.list_studies(session, names_only=True)
    ]
    found = _manifests.read(keys, read_all)
    # A study may be removed in the meantime.
    return [found[key] for key in keys if key in found]


def get_study(session: Session, slug: str) -> StudyManifest:
    """Return the manifest of a study; raise NotFound if there is none."""
    return read_study(catalog.get_study(session, slug).manifest)


def plan_variants(
    session: Session, study: StudyManifest, host: Host | None
) -> dict[StudyVariant, Plan]:
    """Plan each variant on a host; without a host, assume that everything can run."""
    catalogue = _read_catalogue(session)
    sources = read_host_sources(session, [host])[host.name] if host is not None else None
    return {variant: _plan(catalogue, sources, study, variant, host) for variant in StudyVariant}


@dataclass(frozen=True)
class _Catalogue:
    """The present entries of the catalogue; `manifests` are those of the scenarios, by slug."""

    frameworks: Sequence[Framework]
    scenarios: Sequence[Scenario]
    manifests: Mapping[str, ScenarioManifest]


def _read_catalogue(session: Session) -> _Catalogue:
    scenarios = catalog.list_scenarios(session)
    manifests = {
        scenario.slug: ScenarioManifest.model_validate(scenario.manifest) for scenario in scenarios
    }
    return _Catalogue(catalog.list_frameworks(session), scenarios, manifests)


def _plan(
    catalogue: _Catalogue,
    sources: HostSources | None,
    study: StudyManifest,
    variant: StudyVariant,
    host: Host | None,
) -> Plan:
    scenarios = {
        scenario.slug: catalogue.manifests[scenario.slug]
        for scenario in catalogue.scenarios
        if sources is None or not sources.find_scenario_obstacle(scenario)
    }
    implemented = {
        framework.slug: list(framework.manifest["scenarios"]) for framework in catalogue.frameworks
    }
    unavailable = sources.list_obstacles(catalogue.frameworks) if sources is not None else {}
    cpus = read_cpu_sets(host.fingerprint.get("cpus", {})) if host is not None else None
    service_cpus = len(cpus["service"]) if cpus is not None else None
    return plan_study(study, variant, scenarios, implemented, unavailable, service_cpus)


def estimate_seconds(plan: Plan, trials: int) -> float:
    """Return the maximum duration of a plan's trials in seconds, without builds."""
    return trials * sum(expected_trial_seconds(cell.parameters) for cell in plan.cells)


def choose_host(
    session: Session, viewer: Viewer, study: StudyManifest, variant: StudyVariant
) -> Host | None:
    """Return the best host that the workspace of a viewer may use; None without any.

    Available hosts are best, then those with the most measurable cells, then those with the
    shortest queue of runs that the viewer sees.
    """
    hosts = catalog.list_usable_hosts(session, viewer.workspace)
    return _choose(session, hosts, study, variant, viewer) if hosts else None


def _choose(
    session: Session,
    hosts: Sequence[Host],
    study: StudyManifest,
    variant: StudyVariant,
    viewer: Viewer = INSTALLATION,
) -> Host:
    available, waiting = catalog.list_available(session), queues.count_unfinished(session, viewer)
    catalogue, sources = _read_catalogue(session), read_host_sources(session, hosts)

    def burden(host: Host) -> tuple[bool, int, int, str]:
        cells = len(_plan(catalogue, sources[host.name], study, variant, host).cells)
        return (host.name not in available, -cells, waiting.get(host.name, 0), host.name)

    return min(hosts, key=burden)


def reproduce(
    session: Session,
    workspace_id: UUID,
    study: StudyManifest,
    variant: StudyVariant,
    *,
    trials: int | None = None,
    host: str | None = None,
    visibility: Visibility = Visibility.UNLISTED,
) -> Run:
    """Queue the measurable cells of a study as one run.

    Raises:
        Unavailable: there is no bench host that the workspace may use.
        InvalidRequest: the workspace may not use this host, or nothing of the study can run there.
    """
    if host is None:
        chosen = _choose(session, list_candidates(session, workspace_id), study, variant)
    else:
        chosen = get_candidate(session, workspace_id, host)
    plan = plan_variants(session, study, chosen)[variant]
    if not plan.cells:
        reasons = "; ".join(dict.fromkeys(impossible.reason for impossible in plan.impossible))
        detail = f"nothing of {study.slug} can run on {chosen.name}: {reasons}"
        raise InvalidRequest.about("host", detail)
    return service.create_run(
        session,
        workspace_id,
        RunRequest(
            cells=[
                CellRequest(cell.framework, cell.scenario, cell.profile, dict(cell.parameters))
                for cell in plan.cells
            ],
            trials=trials or study.trials[variant],
            title=f"{study.name} ({variant})",
            host=chosen.name,
            visibility=visibility,
            study=(study.slug, variant),
        ),
    )


def read_reproduction(session: Session, run: Run) -> Reproduction:
    """Return the results so far of a run that reproduces a study.

    Args:
        run: with its cells (and their framework and scenario) and its trials.
    """

    results = read_summaries(session, run).cells
    with_steps = [
        trial.id
        for result in results
        if result.cell.kind == ProfileKind.STEPS
        for trial in result.trials
        if trial.status == TrialStatus.SUCCEEDED
    ]
    samples = measurements.list_measured_samples(session, with_steps) if with_steps else {}

    def list_seconds(trial: Trial) -> list[Second]:
        return [second_of(sample) for sample in samples[trial.id]]

    return measure_run(run, results, list_seconds, find_run_error(session, run))


def measure_run(
    run: Run,
    results: Sequence[RunCellResult],
    list_seconds: Callable[[Trial], Sequence[Second]],
    instrument: InstrumentError = NO_ERROR,
) -> Reproduction:
    """Return the results of a run that reproduces a study, without reading the database.

    Args:
        run: as for `read_reproduction`.
        results: of its cells.
        list_seconds: returns the measured seconds of a trial; called for loads in steps only.
    """
    assert run.study_variant is not None
    return Reproduction(
        run.study_variant,
        [_measured(result, list_seconds, instrument) for result in results],
    )


def _measured(
    result: RunCellResult,
    list_seconds: Callable[[Trial], Sequence[Second]],
    instrument: InstrumentError,
) -> MeasuredCell:
    cell, trials = result.cell, result.trials
    succeeded = [trial for trial in trials if trial.status == TrialStatus.SUCCEEDED]
    failures = [trial.failure for trial in trials if trial.failure]
    has_steps = cell.kind == ProfileKind.STEPS
    return MeasuredCell(
        cell_id=cell.id,
        framework=cell.framework.slug,
        scenario=cell.scenario.slug,
        profile=cell.profile,
        kind=ProfileKind(cell.kind),
        parameters=cell.parameters,
        values=result.values,
        trials_succeeded=result.summary.trials_succeeded,
        trials_open=sum(trial.status not in TRIAL_ENDS for trial in trials),
        failure=failures[0].title if failures else None,
        verdicts=sorted(verdict for verdict in result.verdicts if verdict not in _NOT_SHOWN),
        steps=_read_steps(cell, succeeded, list_seconds) if has_steps else {},
        service_cpus=_count_cpus(succeeded),
        instrument=instrument,
    )


def _count_cpus(trials: Sequence[Trial]) -> int:
    """Return the number of CPUs of the service in these trials; 0 if it is not known."""
    counts = [len(trial.environment.get("cpus", {}).get("service", ())) for trial in trials]
    return max(counts, default=0)


def _mean_cpu_cores(steps: Sequence[Step], step_seconds: int) -> float | None:
    """Return the CPU time of the service in a second of a step; None if it was not measured."""
    used = [
        step.cpu_us_per_request * step.requests / 1e6 / step_seconds
        for step in steps
        if step.cpu_us_per_request is not None
    ]
    return fmean(used) if used else None


def _read_steps(
    cell: Cell, trials: Sequence[Trial], list_seconds: Callable[[Trial], Sequence[Second]]
) -> dict[int, MeasuredStep]:
    """Return the steps of a load by rate, over all trials."""
    by_rate: dict[int, dict[int, Step]] = {}
    for trial in trials:
        for step in list_steps(list_seconds(trial), cell.parameters):
            by_rate.setdefault(step.target_rps, {})[trial.repetition] = step
    return {
        rate: MeasuredStep(
            latency_mean_ms={
                repetition: step.latency_mean_ms
                for repetition, step in steps.items()
                if step.latency_mean_ms is not None
            },
            passed=fmean(step.passed for step in steps.values()) > 0.5,
            cpu_cores=_mean_cpu_cores([*steps.values()], cell.parameters["step_seconds"]),
        )
        for rate, steps in by_rate.items()
    }
