"""Service level objectives: limits for metrics, and the gate that checks runs against them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import find_profile, list_profiles
from backend.core.errors import Conflict, InvalidRequest, NotFound
from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS
from backend.core.models import Slo
from backend.core.numbers import format_value
from backend.core.results.cell_result import CellResult
from backend.core.units import METRICS, Direction, Metric


@dataclass(frozen=True)
class SloCheck:
    """The check of one limit against one cell; `detail` explains the result."""

    slo: Slo
    result: CellResult
    estimate: float | None
    passed: bool
    detail: str


def list_slos(
    session: Session, workspace_id: UUID, scenarios: Collection[str] | None = None
) -> Sequence[Slo]:
    """Return all SLOs of a workspace, or those of these scenarios, ordered by scope."""
    query = select(Slo).where(Slo.workspace_id == workspace_id)
    query = query.order_by(Slo.scenario, Slo.metric, Slo.created_at, Slo.id)
    if scenarios is not None:
        query = query.where(Slo.scenario.in_(scenarios))
    return session.scalars(query).all()


def get_slo(session: Session, workspace_id: UUID, slo_id: UUID) -> Slo:
    """Return an SLO of a workspace; raise NotFound if there is none."""
    slo = session.get(Slo, slo_id)
    if slo is None or slo.workspace_id != workspace_id:
        raise NotFound(f"There is no SLO {str(slo_id)!r}.")
    return slo


def create_slo(session: Session, slo: Slo) -> Slo:
    """Create an SLO.

    Raises:
        InvalidRequest: with every name that is not in the catalogue.
        Conflict: an SLO for the same combination exists.
    """
    problems: list[dict[str, str]] = []
    if slo.framework is not None and not catalog.find_frameworks(session, {slo.framework}):
        detail = catalog.describe_missing("framework", "frameworks", slo.framework)
        problems.append({"field": "framework", "detail": detail})
    scenario = catalog.find_scenarios(session, {slo.scenario}).get(slo.scenario)
    if scenario is None:
        detail = catalog.describe_missing("scenario", "scenarios", slo.scenario)
        problems.append({"field": "scenario", "detail": detail})
    else:
        problems += _find_load_faults(slo, ScenarioManifest.model_validate(scenario.manifest))
    if problems:
        raise InvalidRequest.of(problems)
    same = _find_slo(session, slo)
    if same is not None:
        raise Conflict(
            f"There is a limit of {same.limit:g} for the same already; change or delete it.",
            slo_id=str(same.id),
        )
    session.add(slo)
    session.flush()
    return slo


def _find_load_faults(slo: Slo, manifest: ScenarioManifest) -> list[dict[str, str]]:
    """Return what is wrong with the load of an SLO: its profile, or its parameters."""
    profiles = list_profiles(manifest)
    if slo.profile is not None:
        found = find_profile(manifest, slo.profile)
        if found is None:
            can = ", ".join(profile.slug for profile in profiles)
            detail = f"{slo.scenario} has no profile {slo.profile!r}; it has {can}."
            return [{"field": "profile", "detail": detail}]
        profiles = [found]
    known = sorted({name for profile in profiles for name in profile.schema["properties"]})
    return [
        {
            "field": f"parameters.{name}",
            "detail": f"{slo.profile or slo.scenario} has no such parameter; it has "
            f"{', '.join(known)}.",
        }
        for name in slo.parameters
        if name not in known
    ]


def _find_slo(session: Session, like: Slo) -> Slo | None:
    """Return the SLO for the same framework, scenario, load and metric; None without one."""
    query = select(Slo).where(
        Slo.workspace_id == like.workspace_id,
        Slo.framework.is_not_distinct_from(like.framework),
        Slo.scenario == like.scenario,
        Slo.profile.is_not_distinct_from(like.profile),
        Slo.metric == like.metric,
        Slo.parameters == like.parameters,
    )
    return session.scalars(query.limit(1)).one_or_none()


def check_run(
    session: Session, workspace_id: UUID, results: Sequence[CellResult]
) -> list[SloCheck]:
    """Check the results of an ended run against all limits of its workspace that apply."""
    scenarios = {result.summary.scenario for result in results}
    return check_results(list_slos(session, workspace_id, scenarios), results)


def check_results(slos: Sequence[Slo], results: Sequence[CellResult]) -> list[SloCheck]:
    """Check every limit against every result it applies to, in the order of the results.

    The estimate decides. A missing or excluded result does not meet a limit, because a gate must
    not pass what it cannot check. If the interval includes the limit, the detail reports it.
    """
    return [
        _check(slo, result, slo.metric)
        for result in results
        for slo in slos
        if applies(
            slo,
            result.summary.framework,
            result.summary.scenario,
            result.summary.profile,
            result.summary.parameters,
        )
    ]


def applies(
    slo: Slo, framework: str, scenario: str, profile: str, parameters: Mapping[str, int]
) -> bool:
    """Return whether a limit applies to results of a framework under this load."""
    return (
        slo.scenario == scenario
        and slo.framework in {None, framework}
        and slo.profile in {None, profile}
        and slo.parameters.items() <= parameters.items()
    )


def is_within(slo: Slo, estimate: float) -> bool:
    """Return whether a value of the metric is within the limit."""
    is_more = METRICS[slo.metric].direction is Direction.HIGHER
    return estimate >= slo.limit if is_more else estimate <= slo.limit


def describe_limit(slo: Slo) -> str:
    """Return the limit as words: `at most 5 ms`."""
    info = METRICS[slo.metric]
    bound = "at least" if info.direction is Direction.HIGHER else "at most"
    return f"{bound} {format_value(slo.limit, info.unit)}"


def _check(slo: Slo, result: CellResult, metric: Metric) -> SloCheck:
    found = result.estimates.get(metric)
    if found is None:
        return SloCheck(slo, result, None, False, "No trial has this metric.")
    if result.summary.excluded:
        detail = "A verdict excludes this cell's numbers, so they meet no limit."
        return SloCheck(slo, result, found.estimate, False, detail)
    if found.is_bound:
        detail = "The value is only a lower bound, so it meets no limit."
        return SloCheck(slo, result, found.estimate, False, detail)
    passed = is_within(slo, found.estimate)
    detail = "Within the limit." if passed else "Beyond the limit."
    if found.low is None or found.high is None:
        detail += f" Fewer than {MIN_INTERVAL_TRIALS} trials give no interval."
    elif found.low <= slo.limit <= found.high:
        detail += " The interval includes the limit; more trials would narrow it."
    return SloCheck(slo, result, found.estimate, passed, detail)
