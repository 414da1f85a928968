"""Read the presets of an installation."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.study import read_study
from backend.core.computed_once import ComputedOnce
from backend.core.errors import NotFound
from backend.core.models import Framework, Host, Scenario, Study
from backend.core.presets.planning import HostCatalogue, Preset, plan_question, plan_study_preset
from backend.core.presets.questions import QUESTIONS

# Slugs with the times of their last change.
_Dated = tuple[tuple[str, datetime], ...]
# The presets by what they follow from: frameworks, scenarios and studies, and why the host cannot
# run some frameworks. It rarely changes.
_MOST_KNOWN = 100
_State = tuple[_Dated, _Dated, _Dated, tuple[tuple[str, str], ...]]
_presets: ComputedOnce[_State, Sequence[Preset]] = ComputedOnce(_MOST_KNOWN)


def list_presets(session: Session, workspace_id: UUID | None) -> Sequence[Preset]:
    """Return the presets that a workspace can run here: common questions first, then studies.

    Args:
        workspace_id: None plans for the hosts that all workspaces may use.
    """
    frameworks = catalog.list_frameworks(session, names_only=True)
    sources = _find_ablest(session, workspace_id, frameworks)
    scenarios = [
        scenario
        for scenario in catalog.list_scenarios(session, names_only=True)
        if sources is None or not sources.find_scenario_obstacle(scenario)
    ]
    studies = catalog.list_studies(session, names_only=True)
    unavailable = sources.list_obstacles(frameworks) if sources else {}
    state = (_date(frameworks), _date(scenarios), _date(studies), tuple(unavailable.items()))
    runnable = {scenario.slug for scenario in scenarios}
    return _presets.read_one(state, lambda: _plan(session, runnable, unavailable))


def get_preset(session: Session, workspace_id: UUID | None, slug: str) -> Preset:
    """Return a preset; raise NotFound if there is none that can run here."""
    presets = {preset.slug: preset for preset in list_presets(session, workspace_id)}
    if slug not in presets:
        known = ", ".join(presets) or "none"
        raise NotFound(f"There is no preset {slug!r} that can run here; there are {known}.")
    return presets[slug]


def _date(entries: Sequence[Framework | Scenario | Study]) -> _Dated:
    return tuple((entry.slug, entry.updated_at) for entry in entries)


def _plan(
    session: Session, runnable: Collection[str], unavailable: Mapping[str, str]
) -> Sequence[Preset]:
    """Plan the presets from the manifests, which take milliseconds to read.

    Args:
        runnable: slugs of the scenarios that can run.
    """
    catalogue = HostCatalogue(
        scenarios={
            scenario.slug: ScenarioManifest.model_validate(scenario.manifest)
            for scenario in catalog.list_scenarios(session)
            if scenario.slug in runnable
        },
        implemented={
            framework.slug: list(framework.manifest["scenarios"])
            for framework in catalog.list_frameworks(session)
        },
        unavailable=unavailable,
    )
    studies = catalog.list_studies(session)
    found = [
        *(plan_question(question, catalogue) for question in QUESTIONS),
        *(plan_study_preset(read_study(study.manifest), catalogue) for study in studies),
    ]
    return [preset for preset in found if preset]


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
