"""Choose a framework: the recommendation, what is missing, and the run that measures it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import list_profiles
from backend.core.errors import InvalidRequest
from backend.core.models import Framework, Host, Scenario
from backend.core.people.access.viewer import Viewer
from backend.core.results.cell_result import CellResult
from backend.core.results.choose.criteria import Criterion, CriterionResults, select_results
from backend.core.results.choose.missing import (
    Availability,
    ChoiceColumn,
    MissingRun,
    describe_missing,
    plan_missing,
)
from backend.core.results.choose.recommendation import Recommendation, rank_column, recommend
from backend.core.results.choose.repository import KnownResult, list_latest_results
from backend.core.results.repository import list_measured_hosts
from backend.core.results.results import list_results
from backend.core.units import ProfileKind

LEAST_FRAMEWORKS = 2


@dataclass(frozen=True)
class ChoiceQuery:
    """The frameworks to choose from, and what matters.

    Attributes:
        frameworks: slugs; empty for all of `language`.
        criteria: the most important first.
        parameters: values that loads must have, where they have the parameter.
        host: None for the host with the most results.
    """

    scenario: str
    frameworks: tuple[str, ...]
    language: str | None
    criteria: tuple[Criterion, ...]
    parameters: tuple[tuple[str, int], ...]
    host: str | None


@dataclass(frozen=True)
class FrameworkChoice:
    """A recommendation with what it is based on.

    Attributes:
        hosts: names of the hosts with results of these frameworks.
        parameters: the values that loads of these frameworks have, by each parameter that
            distinguishes loads; empty for parameters that no load of a result has.
        missing: sentences about frameworks without a result.
    """

    scenario: Scenario
    frameworks: Sequence[Framework]
    host: str | None
    hosts: Sequence[str]
    parameters: Mapping[str, Sequence[int]]
    columns: Sequence[ChoiceColumn]
    recommendation: Recommendation
    missing: Sequence[str]
    run: MissingRun | None


def choose(session: Session, viewer: Viewer, query: ChoiceQuery) -> FrameworkChoice:
    """Return the recommendation for a choice.

    Raises:
        NotFound: an unknown scenario, framework or host.
        InvalidRequest: fewer than two frameworks, or a parameter that no load has.
    """
    scenario = catalog.get_scenario(session, query.scenario)
    manifest = ScenarioManifest.model_validate(scenario.manifest)
    _refuse_unknown_parameters(manifest, query.parameters)
    frameworks = _list_frameworks(session, query)
    host = None if query.host is None else catalog.get_host(session, query.host)
    slugs = [framework.slug for framework in frameworks]
    known = list_latest_results(session, scenario.slug, slugs, viewer=viewer)
    parameters = dict(query.parameters)
    found = select_results(known, query.criteria, parameters, host.id if host else None)
    results = _read_results(session, found)
    columns = [_make_column(own, frameworks, scenario.slug, results) for own in found]
    recommendation = recommend([column.ranked for column in columns], len(frameworks))
    used = next((own.conditions.host_id for own in found if own.conditions), None)
    chosen = host or (session.get(Host, used) if used else None)
    usable = catalog.list_usable_hosts(session, viewer.workspace)
    is_usable = chosen is not None and chosen in usable
    candidates = [chosen] if chosen is not None and is_usable else usable
    sources = read_host_sources(session, candidates, has_scenarios=False).values()
    obstacles = min((own.list_obstacles(frameworks) for own in sources), key=len, default={})
    return FrameworkChoice(
        scenario=scenario,
        frameworks=frameworks,
        host=chosen.name if chosen else None,
        hosts=list_measured_hosts(session, scenario.slug, viewer=viewer),
        parameters=_list_values(known, manifest),
        columns=columns,
        recommendation=recommendation,
        missing=describe_missing(columns, frameworks, obstacles),
        run=plan_missing(
            columns, recommendation, scenario, parameters, chosen if is_usable else None, obstacles
        ),
    )


def _refuse_unknown_parameters(
    scenario: ScenarioManifest, parameters: Collection[tuple[str, int]]
) -> None:
    known = {name for profile in list_profiles(scenario) for name in profile.schema["properties"]}
    problems = [
        {
            "field": "load",
            "detail": f"No load of {scenario.name} has the parameter {name!r}. Use one of "
            f"{', '.join(sorted(known))}.",
        }
        for name, _ in parameters
        if name not in known
    ]
    if problems:
        raise InvalidRequest.of(problems)


def _list_frameworks(session: Session, query: ChoiceQuery) -> list[Framework]:
    if query.frameworks:
        found = [catalog.get_framework(session, slug) for slug in dict.fromkeys(query.frameworks)]
    else:
        found = [
            framework
            for framework in catalog.list_frameworks(session)
            if framework.language.casefold() == (query.language or "").casefold()
            and query.scenario in framework.manifest["scenarios"]
        ]
    if len(found) < LEAST_FRAMEWORKS:
        field = "frameworks" if query.frameworks or not query.language else "language"
        detail = (
            "Name at least two frameworks, separated by commas."
            if field == "frameworks"
            else f"Fewer than two frameworks of {query.language!r} implement {query.scenario}."
        )
        raise InvalidRequest.of([{"field": field, "detail": detail}])
    return found


def _read_results(session: Session, found: Sequence[CriterionResults]) -> dict[UUID, CellResult]:
    wanted = {
        item.cell_id for own in found for item in (*own.usable.values(), *own.excluded.values())
    }
    metrics = {own.metric for own in found}
    return {own.summary.cell_id: own for own in list_results(session, wanted, metrics)}


def _make_column(
    found: CriterionResults,
    frameworks: Sequence[Framework],
    scenario: str,
    results: Mapping[UUID, CellResult],
) -> ChoiceColumn:
    usable = [results[item.cell_id] for item in found.usable.values()]
    ranked = rank_column(found.criterion, found.metric, usable)
    excluded = {slug: results[item.cell_id] for slug, item in found.excluded.items()}

    def find_availability(framework: Framework) -> Availability:
        slug = framework.slug
        entry = ranked.find(slug)
        if entry is not None and entry.estimate is not None:
            if entry.result.list_exclusions(found.metric):
                return Availability.EXCLUDED
            has_few = entry.estimate.low is None and not entry.estimate.is_bound
            return Availability.FEW if has_few else Availability.MEASURED
        if slug in excluded:
            return Availability.EXCLUDED
        if scenario not in framework.manifest["scenarios"]:
            return Availability.UNABLE
        return Availability.ELSEWHERE if slug in found.elsewhere else Availability.MISSING

    return ChoiceColumn(
        ranked,
        next(iter([*usable, *excluded.values()]), None),
        {framework.slug: find_availability(framework) for framework in frameworks},
        excluded,
    )


def _list_values(known: Sequence[KnownResult], scenario: ScenarioManifest) -> dict[str, list[int]]:
    has_rate = any(profile.kind is ProfileKind.RATE for profile in list_profiles(scenario))
    names = [*(["rate_rps"] if has_rate else []), *scenario.parameters]
    return {
        name: sorted({item.parameters[name] for item in known if name in item.parameters})
        for name in names
    }
