"""Create SLOs, and check runs against them."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.profiles import find_profile, list_profiles
from backend.core.errors import Conflict, InvalidRequest
from backend.core.models import Slo
from backend.core.results.cell_result import CellResult
from backend.core.results.slos import repository
from backend.core.results.slos.gate import SloCheck, check_results


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
    elif slo.profile is not None:
        manifest = ScenarioManifest.model_validate(scenario.manifest)
        if find_profile(manifest, slo.profile) is None:
            can = ", ".join(profile.slug for profile in list_profiles(manifest))
            detail = f"{slo.scenario} has no profile {slo.profile!r}; it has {can}."
            problems.append({"field": "profile", "detail": detail})
    if problems:
        raise InvalidRequest.of(problems)
    same = repository.find_slo(session, slo)
    if same is not None:
        raise Conflict(
            f"There is a limit of {same.limit:g} for the same already; change or delete it.",
            slo_id=str(same.id),
        )
    return repository.add_slo(session, slo)


def check_run(
    session: Session, workspace_id: UUID, results: Sequence[CellResult]
) -> list[SloCheck]:
    """Check the results of an ended run against all limits of its workspace that apply."""
    scenarios = {result.summary.scenario for result in results}
    return check_results(repository.list_slos(session, workspace_id, scenarios), results)
