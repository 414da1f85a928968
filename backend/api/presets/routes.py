"""GET /presets, /presets/{slug}."""

from typing import Annotated

from fastapi import Path

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.presets.schemas import PresetOut
from backend.api.presets.views import list_slugs, preset_out
from backend.api.schemas import Name, Page
from backend.core.access.permissions import Permission
from backend.core.catalog import repository as catalog
from backend.core.presets import service

router = NounRouter(prefix="/presets", tags=["presets"], dependencies=[needs(Permission.OPEN)])

PresetSlug = Annotated[Name, Path(examples=["first-look"])]


@router.get("")
def list_presets(session: SessionDep, viewer: ViewerDep) -> Page[PresetOut]:
    """Return the suggested runs that can run here: common questions first, then studies."""
    presets = service.list_presets(session, viewer.workspace)
    frameworks = catalog.find_frameworks(session, list_slugs(presets), names_only=True)
    return Page(items=[preset_out(preset, frameworks) for preset in presets])


@router.get("/{slug}", responses=problems(404, 422))
def get_preset(session: SessionDep, viewer: ViewerDep, slug: PresetSlug) -> PresetOut:
    """Return a suggested run."""
    preset = service.get_preset(session, viewer.workspace, slug)
    frameworks = catalog.find_frameworks(session, list_slugs([preset]), names_only=True)
    return preset_out(preset, frameworks)
