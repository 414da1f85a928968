"""GET /presets, /presets/{slug}."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Path
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.runs.schemas import CellIn, RunIn
from backend.api.runs.views import goal_fields
from backend.api.schemas import FrameworkRef, Name, Page
from backend.core.bodies import Schema
from backend.core.catalog import repository as catalog
from backend.core.errors import NotFound
from backend.core.models import Framework
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.runs.presets.planning import Preset, PresetKind, plan_presets


class PresetOut(Schema):
    """A suggested run that can run here."""

    kind: PresetKind = Field(
        description="question: a common question. study: the quick variant of a study, with one "
        "load per scenario; `POST /studies/{slug}/reproduce` runs all of them."
    )
    slug: str = Field(examples=["first-look"])
    name: str = Field(examples=["Least CPU at 1,000 req/s"])
    description: str
    is_starter: bool = Field(description="Whether the overview suggests it.")
    request: RunIn = Field(description="Body for `POST /runs`.")
    frameworks: list[FrameworkRef]
    results: int = Field(
        description="Number of results. A swept parameter has a result for each value."
    )
    seconds: float = Field(description="Maximum duration, without builds.")


def read_presets(session: Session, viewer: Viewer) -> Sequence[PresetOut]:
    """Return the presets that the workspace of a viewer can run."""
    presets = plan_presets(session, viewer.workspace)
    frameworks = catalog.find_frameworks(session, _list_slugs(presets), names_only=True)
    return [preset_out(preset, frameworks) for preset in presets]


def read_preset(session: Session, viewer: Viewer, slug: str) -> PresetOut:
    """Return a preset; raise NotFound if there is none that can run here."""
    presets = {preset.slug: preset for preset in read_presets(session, viewer)}
    if slug not in presets:
        known = ", ".join(presets) or "none"
        raise NotFound(f"There is no preset {slug!r} that can run here; there are {known}.")
    return presets[slug]


def preset_out(preset: Preset, frameworks: Mapping[str, Framework]) -> PresetOut:
    """Return a preset with the request that starts it.

    Args:
        frameworks: of its cells, by slug.
    """
    trials = {"trials": preset.trials} if preset.goal is None else goal_fields(preset.goal)
    cells = [CellIn.of(cell, framework_digest=None) for cell in preset.cells]
    return PresetOut.of(
        preset,
        request=RunIn.model_validate({"title": preset.name, "cells": cells, **trials}),
        frameworks=[frameworks[slug] for slug in _list_slugs([preset])],
    )


def _list_slugs(presets: Sequence[Preset]) -> list[str]:
    """Return the slugs of all frameworks of some presets, without repetitions."""
    return list(dict.fromkeys(cell.framework for preset in presets for cell in preset.cells))


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
