"""Read the presets of an installation."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.manifest import ScenarioManifest
from backend.core.catalog.study import StudyManifest
from backend.core.errors import NotFound
from backend.core.models import Host
from backend.core.presets.planning import HostCatalogue, Preset, plan_question, plan_study_preset
from backend.core.presets.questions import QUESTIONS


def list_presets(session: Session, workspace_id: UUID | None) -> list[Preset]:
    """Return the presets that a workspace can run here: common questions first, then studies.

    Args:
        workspace_id: None plans for the hosts that all workspaces may use.
    """
    catalogue = _read_catalogue(session, workspace_id)
    studies = [
        StudyManifest.model_validate(item.manifest) for item in catalog.list_studies(session)
    ]
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
    host = _find_ablest(session, workspace_id)
    return HostCatalogue(
        scenarios={
            scenario.slug: ScenarioManifest.model_validate(scenario.manifest)
            for scenario in catalog.list_scenarios(session)
        },
        implemented={
            framework.slug: list(framework.manifest["scenarios"])
            for framework in catalog.list_frameworks(session)
        },
        unavailable=host.unavailable if host else {},
    )


def _find_ablest(session: Session, workspace_id: UUID | None) -> Host | None:
    """Return the usable host that can run the most frameworks; None without any.

    Hosts that take trials come first.
    """
    available = catalog.list_available(session)

    def burden(host: Host) -> tuple[bool, int, str]:
        return (host.name not in available, len(host.unavailable), host.name)

    return min(catalog.list_usable_hosts(session, workspace_id), key=burden, default=None)
