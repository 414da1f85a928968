"""GET /presets, /presets/{slug}."""

from typing import Annotated

from fastapi import Path

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.runs.presets.schemas import PresetOut
from backend.api.runs.presets.views import read_preset, read_presets
from backend.api.schemas import Name, Page
from backend.core.people.access.permissions import Permission

router = NounRouter(prefix="/presets", tags=["presets"], dependencies=[needs(Permission.OPEN)])

PresetSlug = Annotated[Name, Path(examples=["first-look"])]


@router.get("")
def list_presets(session: SessionDep, viewer: ViewerDep) -> Page[PresetOut]:
    """Return the suggested runs that can run here: common questions first, then studies."""
    return Page(items=list(read_presets(session, viewer)))


@router.get("/{slug}", responses=problems(404, 422))
def get_preset(session: SessionDep, viewer: ViewerDep, slug: PresetSlug) -> PresetOut:
    """Return a suggested run."""
    return read_preset(session, viewer, slug)
