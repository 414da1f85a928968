"""Read the presets of an installation."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.study import read_study
from backend.core.errors import NotFound
from backend.core.models import Framework, Host
from backend.core.presets.planning import HostCatalogue, Preset, plan_question, plan_study_preset
from backend.core.presets.questions import QUESTIONS


def list_presets(session: Session, workspace_id: UUID | None) -> list[Preset]:
    """Return the presets that a workspace can run here: common questions first, then studies.

    Args:
        workspace_id: None plans for the hosts that all workspaces may use.
    """
    catalogue = _read_catalogue(session, workspace_id)
    studies = [read_study(item.manifest) for item in catalog.list_studies(session)]
    found = [
        *(plan_question(question, catalogue) for question in QUESTIONS),
        *(plan_study_preset(study, catalogue) for study in studies),
    ]
    return [preset for preset in found if preset]


def get_preset(session: Session, workspace_id: UUID | None, slug: str) -> Preset:
    """Return a preset; raise NotFound if there is none that can run here."""
    presets = {preset.slug: preset for preset in list_presets(session, workspace_id)}
    if slug not in presets:
        known = ", ".join(presets) or "none"
        raise NotFound(f"There is no preset {slug!r} that can run here; there are {known}.")
    return presets[slug]


def _read_catalogue(session: Session, workspace_id: UUID | None) -> HostCatalogue:
    frameworks = catalog.list_frameworks(session)
    scenarios = catalog.list_scenarios(session)
    sources = _find_ablest(session, workspace_id, frameworks)
    return HostCatalogue(
        scenarios={
            scenario.slug: ScenarioManifest.model_validate(scenario.manifest)
            for scenario in scenarios
            if sources is None or not sources.find_scenario_obstacle(scenario)
        },
        implemented={
            framework.slug: list(framework.manifest["scenarios"]) for framework in frameworks
        },
        unavailable=sources.list_obstacles(frameworks) if sources else {},
    )


def _find_ablest(
    session: Session, workspace_id: UUID | None, frameworks: Sequence[Framework]
) -> HostSources | None:
    """Return the sources of the usable host that can run the most frameworks; None without any.

    Hosts that take trials come first.
    """
    available = catalog.list_available(session)
    hosts = catalog.list_usable_hosts(session, workspace_id)
    sources = read_host_sources(session, hosts)

    def burden(host: Host) -> tuple[bool, int, str]:
        obstacles = sources[host.name].list_obstacles(frameworks)
        return (host.name not in available, len(obstacles), host.name)

    best = min(hosts, key=burden, default=None)
    return None if best is None else sources[best.name]
