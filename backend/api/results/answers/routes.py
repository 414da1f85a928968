"""/runs/{id}/answer: what a run found, and how certain it is."""

from fastapi import Response
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.answers.views import Answer, answer_out
from backend.api.runs.deps import RunName, get_readable
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.run_results.service import read_run_results

router = NounRouter(
    prefix="/runs",
    tags=["runs"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@router.get("/{run_id}/answer", response_model=Answer, responses=NOT_MODIFIED)
async def get_run_answer(responder: ResponderDep, run_id: RunName) -> Response:
    """Return the answer of a run: its headline, sentences, ranks, warnings and outcome."""
    return await responder.respond_in_turn(_show_answer, run_id)


def _show_answer(session: Session, viewer: Viewer, name: str) -> Answer:
    return answer_out(read_run_results(session, get_readable(session, viewer, name)))
