"""Read the presets of an installation."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.repository import UsableHost
from backend.core.catalog.study import read_study
from backend.core.models import Framework
from backend.core.runs.presets.planning import (
    HostCatalogue,
    Preset,
    plan_question,
    plan_study_preset,
)
from backend.core.runs.presets.questions import QUESTIONS


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
