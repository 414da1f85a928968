"""Plan the runs of presets: which can run on the ablest host of an installation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import find_profile, resolve_parameters
from backend.core.catalog.repository import UsableHost
from backend.core.catalog.study import StudyManifest, read_study
from backend.core.catalog.study_plan import PlannedCell, plan_study
from backend.core.documents import CellRequest, RunGoal
from backend.core.models import Framework
from backend.core.runs.presets.questions import QUESTIONS, Question
from backend.core.runs.progress import expected_trial_seconds
from backend.core.statuses import StudyVariant


class PresetKind(StrEnum):
    """The kind of question that a preset answers."""

    QUESTION = "question"
    STUDY = "study"


@dataclass(frozen=True)
class Preset:
    """A suggested run with everything that a request for it needs.

    Attributes:
        cells: each may request several values of a swept parameter.
        results: number of results of the run; a swept parameter has a result for each value.
        seconds: maximum duration, without builds.
    """

    kind: PresetKind
    slug: str
    name: str
    description: str
    cells: Sequence[CellRequest]
    trials: int
    goal: RunGoal | None
    results: int
    seconds: float
    is_starter: bool = False


@dataclass(frozen=True)
class HostCatalogue:
    """The scenarios and frameworks that the host of a preset can measure.

    Attributes:
        scenarios: manifests by slug.
        implemented: implemented scenarios by framework slug, in the order of lists.
        unavailable: reasons why the host cannot run a framework, by framework slug.
    """

    scenarios: Mapping[str, ScenarioManifest]
    implemented: Mapping[str, Sequence[str]]
    unavailable: Mapping[str, str]


def plan_question(question: Question, catalogue: HostCatalogue) -> Preset | None:
    """Return the preset of a question; None if no framework here can answer it."""
    frameworks = _choose_frameworks(question, catalogue)
    if not frameworks:
        return None
    cells = [
        CellRequest(slug, question.scenario, question.profile, dict(question.parameters))
        for slug in frameworks
    ]
    results, block_seconds = _measure(cells, catalogue)
    if not results:
        return None
    return Preset(
        kind=PresetKind.QUESTION,
        slug=question.slug,
        name=question.name,
        description=question.description,
        cells=cells,
        trials=question.trials,
        goal=question.goal,
        results=results,
        seconds=estimate_seconds(block_seconds, question.trials, question.goal),
        is_starter=question.is_starter,
    )


def plan_study_preset(study: StudyManifest, catalogue: HostCatalogue) -> Preset | None:
    """Return the quick variant of a study as a run; None if nothing of it can run here.

    The run has one load per scenario, see `merge_cells`.
    """
    variant = StudyVariant.QUICK
    plan = plan_study(
        study, variant, catalogue.scenarios, catalogue.implemented, catalogue.unavailable
    )
    cells = merge_cells(plan.cells, catalogue.scenarios)
    if not cells:
        return None
    trials = study.trials[variant]
    results, block_seconds = _measure(cells, catalogue)
    return Preset(
        kind=PresetKind.STUDY,
        slug=study.slug,
        name=study.name,
        description=study.description,
        cells=cells,
        trials=trials,
        goal=None,
        results=results,
        seconds=estimate_seconds(block_seconds, trials, None),
    )


def merge_cells(
    planned: Sequence[PlannedCell], scenarios: Mapping[str, ScenarioManifest]
) -> list[CellRequest]:
    """Return one requested cell for each framework and scenario, with one load per scenario.

    Of several loads of a scenario, the first is taken. Values of the parameter that its profile
    sweeps become a list.
    """
    loads: dict[str, _Load] = {}
    pairs: dict[tuple[str, str], None] = {}
    for cell in planned:
        load = loads.get(cell.scenario)
        if load is None:
            profile = find_profile(scenarios[cell.scenario], cell.profile)
            swept = profile.sweeps if profile else None
            load = loads[cell.scenario] = _Load(cell.profile, swept, cell.parameters, [])
        if not load.includes(cell):
            continue
        if load.swept is not None and cell.parameters[load.swept] not in load.values:
            load.values.append(cell.parameters[load.swept])
        pairs[cell.framework, cell.scenario] = None
    return [
        CellRequest(framework, scenario, loads[scenario].profile, loads[scenario].parameters)
        for framework, scenario in pairs
    ]


def estimate_seconds(block_seconds: float, trials: int, goal: RunGoal | None) -> float:
    """Return the longest duration of a run whose cells take `block_seconds` together."""
    if goal is None:
        return trials * block_seconds
    return min(goal.max_trials * block_seconds, goal.max_minutes * 60.0)


@dataclass(frozen=True)
class _Load:
    """The load of a scenario: that of its first cell, with all values of its swept parameter."""

    profile: str
    swept: str | None
    first: Mapping[str, int]
    values: list[int]

    def includes(self, cell: PlannedCell) -> bool:
        """Return whether a cell has this load, apart from its value of the swept parameter."""
        return cell.profile == self.profile and all(
            value == self.first.get(name)
            for name, value in cell.parameters.items()
            if name != self.swept
        )

    @property
    def parameters(self) -> dict[str, object]:
        swept = {} if self.swept is None else {self.swept: sorted(self.values)}
        return {**self.first, **swept}


def _choose_frameworks(question: Question, catalogue: HostCatalogue) -> list[str]:
    able = [
        slug
        for slug, scenarios in catalogue.implemented.items()
        if question.scenario in scenarios and slug not in catalogue.unavailable
    ]
    if question.frameworks is None:
        return able
    return [slug for slug in question.frameworks if slug in able][: question.most]


def _measure(cells: Sequence[CellRequest], catalogue: HostCatalogue) -> tuple[int, float]:
    """Return the number of results of a run, and the seconds of one trial of each."""
    results, seconds = 0, 0.0
    for cell in cells:
        manifest = catalogue.scenarios.get(cell.scenario)
        profile = find_profile(manifest, cell.profile) if manifest else None
        if profile is None:
            continue
        resolved, _ = resolve_parameters(profile, cell.parameters)
        results += len(resolved)
        seconds += sum(map(expected_trial_seconds, resolved))
    return results, seconds


def plan_presets(session: Session, workspace_id: UUID | None) -> list[Preset]:
    """Return the presets that can run on a host: common questions first, then studies.

    Args:
        workspace_id: whose hosts count. None: the hosts that all workspaces may use.
    """
    hosts = catalog.list_usable_names(session, workspace_id)
    frameworks = catalog.list_frameworks(session)
    sources = _find_ablest(session, hosts, frameworks)
    scenarios = [
        scenario
        for scenario in catalog.list_scenarios(session)
        if sources is None or not sources.find_scenario_obstacle(scenario)
    ]
    catalogue = HostCatalogue(
        scenarios={
            scenario.slug: ScenarioManifest.model_validate(scenario.manifest)
            for scenario in scenarios
        },
        implemented={
            framework.slug: list(framework.manifest["scenarios"]) for framework in frameworks
        },
        unavailable=sources.list_obstacles(frameworks) if sources else {},
    )
    found = [
        *(plan_question(question, catalogue) for question in QUESTIONS),
        *(
            plan_study_preset(read_study(study.manifest), catalogue)
            for study in catalog.list_studies(session)
        ),
    ]
    return [preset for preset in found if preset]


def _find_ablest(
    session: Session, hosts: Sequence[UsableHost], frameworks: Sequence[Framework]
) -> HostSources | None:
    """Return the sources of the host that can run the most frameworks; None without any.

    Hosts that take trials come first.
    """
    sources = read_host_sources(session, hosts)

    def burden(host: UsableHost) -> tuple[bool, int, str]:
        obstacles = sources[host.name].list_obstacles(frameworks)
        return (not host.is_available, len(obstacles), host.name)

    best = min(hosts, key=burden, default=None)
    return None if best is None else sources[best.name]
