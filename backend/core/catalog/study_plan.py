"""Plan the cells of a study, and find those that cannot be measured, as pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import (
    Problems,
    Profile,
    find_profile,
    list_profiles,
    resolve_parameters,
)
from backend.core.catalog.study import Experiment, StudyManifest
from backend.core.documents import Parameters
from backend.core.statuses import StudyVariant


@dataclass(frozen=True)
class PlannedCell:
    """One system under test under one load; `parameters` are complete."""

    experiment: str
    system: str
    framework: str
    scenario: str
    profile: str
    parameters: Parameters


@dataclass(frozen=True)
class ImpossibleCell:
    """A system under test that an experiment cannot measure here, with the reason for users."""

    experiment: str
    system: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """The cells of a variant of a study, and those that cannot be measured."""

    cells: Sequence[PlannedCell]
    impossible: Sequence[ImpossibleCell]


def plan_study(
    study: StudyManifest,
    variant: StudyVariant,
    scenarios: Mapping[str, ScenarioManifest],
    implemented: Mapping[str, Sequence[str]],
    unavailable: Mapping[str, str],
    service_cpus: int | None = None,
) -> Plan:
    """Plan the cells of a variant on one host.

    Args:
        scenarios: manifests of the catalogue by slug.
        implemented: implemented scenarios by framework slug.
        unavailable: reasons why the host cannot run a framework, by framework slug.
        service_cpus: CPUs of the host for a service. None if there is no host yet: loads are then
            those of the study's host.
    """
    study_cpus = study.source.cpus
    cells: list[PlannedCell] = []
    impossible: list[ImpossibleCell] = []
    for slug, experiment in study.experiments.items():
        for system in _systems(study, experiment):
            reason = _find_obstacle(study, experiment, system, scenarios, implemented, unavailable)
            if reason is not None:
                impossible.append(ImpossibleCell(slug, system, reason))
                continue
            profile, resolved, _ = _resolve(experiment, variant, scenarios[experiment.scenario])
            if profile is None:
                name = f"{experiment.profile}-{variant}"
                reason = f"{experiment.scenario} has no profile {name}."
                impossible.append(ImpossibleCell(slug, system, reason))
                continue
            framework = study.frameworks[system]
            if service_cpus is not None and study_cpus is not None:
                resolved = [
                    experiment.fit_cpus(parameters, service_cpus, study_cpus)
                    for parameters in resolved
                ]
            cells += (
                PlannedCell(slug, system, framework, experiment.scenario, profile.slug, parameters)
                for parameters in resolved
            )
    return Plan(cells, impossible)


def _find_obstacle(
    study: StudyManifest,
    experiment: Experiment,
    system: str,
    scenarios: Mapping[str, ScenarioManifest],
    implemented: Mapping[str, Sequence[str]],
    unavailable: Mapping[str, str],
) -> str | None:
    """Return why a system under test cannot be measured; None if it can."""
    framework = study.frameworks.get(system)
    if framework is None:
        return "No framework in this catalogue corresponds to it."
    if experiment.scenario not in scenarios:
        return f"This catalogue has no scenario {experiment.scenario}."
    if framework not in implemented:
        return f"This catalogue has no framework {framework}."
    if experiment.scenario not in implemented[framework]:
        return f"{framework} does not implement {experiment.scenario}."
    if framework in unavailable:
        return f"{framework} cannot run on this host: {unavailable[framework]}"
    return None


def find_study_faults(study: StudyManifest, scenarios: Mapping[str, ScenarioManifest]) -> Problems:
    """Return a problem `{"field", "detail"}` for each load that a scenario does not allow."""
    faults: Problems = []
    for slug, experiment in study.experiments.items():
        if experiment.scenario not in scenarios:
            continue
        for variant in StudyVariant:
            profile, _, problems = _resolve(experiment, variant, scenarios[experiment.scenario])
            at = f"experiments.{slug}"
            if profile is None:
                known = ", ".join(
                    {
                        profile.name: None
                        for profile in list_profiles(scenarios[experiment.scenario])
                    }
                )
                detail = (
                    f"{experiment.scenario} has no profile {experiment.profile!r}; it has {known}"
                )
                faults.append({"field": f"{at}.profile", "detail": detail})
                break
            parameters = sorted(profile.schema["properties"])
            if experiment.per_cpu is not None and experiment.per_cpu not in parameters:
                detail = f"{profile.slug} has no such parameter; it has {', '.join(parameters)}"
                faults.append({"field": f"{at}.per_cpu", "detail": detail})
                break
            faults += (
                {**problem, "field": f"{at}.{variant}.parameters.{problem['field']}"}
                for problem in problems
            )
    return faults


def _systems(study: StudyManifest, experiment: Experiment) -> Sequence[str]:
    return experiment.systems or [system.name for system in study.systems]


def _resolve(
    experiment: Experiment, variant: StudyVariant, scenario: ScenarioManifest
) -> tuple[Profile | None, list[Parameters], Problems]:
    """Return the profile, the parameters of each cell, and problems of the request."""
    profile = find_profile(scenario, f"{experiment.profile}-{variant}")
    if profile is None:
        return None, [], []
    resolved: list[Parameters] = []
    problems: Problems = []
    requested = (experiment.quick if variant == StudyVariant.QUICK else experiment.full).parameters
    for combination in _combinations(requested):
        found, wrong = resolve_parameters(profile, combination)
        resolved += found
        problems += wrong
    return profile, resolved, problems


def _combinations(requested: Mapping[str, int | tuple[int, ...]]) -> Iterator[dict[str, object]]:
    """Yield each combination of values; a list of values creates one cell for each."""
    values = [value if isinstance(value, tuple) else (value,) for value in requested.values()]
    for chosen in product(*values):
        yield dict(zip(requested, chosen, strict=True))
