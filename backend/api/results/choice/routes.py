"""GET /choice: one recommendation among frameworks, and what it is based on."""

from typing import Annotated

from fastapi import Path, Response
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.choice.export import EXPORTED, MEDIA_TYPES, ChoiceSuffix, render
from backend.api.results.choice.reading import ChoiceQueryDep
from backend.api.results.choice.schemas import ChoiceOut
from backend.api.results.choice.views import choice_out
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.choose.service import ChoiceQuery, choose

router = NounRouter(prefix="/choice", tags=["choice"], dependencies=[needs(Permission.OPEN)])


@router.get("", response_model=ChoiceOut, responses=problems(404, 422) | NOT_MODIFIED)
async def get_choice(responder: ResponderDep, query: ChoiceQueryDep) -> Response:
    """Recommend a framework by what matters, from valid results of equal conditions.

    The most important criterion decides. Where frameworks are equivalent by it, the next one does.
    Where they cannot be told apart yet, nothing is recommended.
    """
    return await responder.respond_in_turn(_show_choice, query)


def _show_choice(session: Session, viewer: Viewer, query: ChoiceQuery) -> ChoiceOut:
    return choice_out(choose(session, viewer, query))


@router.get(
    "/export.{suffix}",
    response_class=Response,
    responses=problems(404, 422) | NOT_MODIFIED | EXPORTED,
)
async def export_choice(
    responder: ResponderDep, query: ChoiceQueryDep, suffix: Annotated[ChoiceSuffix, Path()]
) -> Response:
    """Return the recommendation and its table as a file."""
    media_type = MEDIA_TYPES[suffix]
    return await responder.respond_in_turn(_export, query, suffix, media_type=media_type)


def _export(session: Session, viewer: Viewer, query: ChoiceQuery, suffix: ChoiceSuffix) -> bytes:
    return render(_show_choice(session, viewer, query), suffix).encode()
