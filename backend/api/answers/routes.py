"""/runs/{id}/answer: what a run found, and how certain it is."""

from fastapi import Response

from backend.api.answers.schemas import Answer
from backend.api.answers.views import answer_out
from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.runs.deps import RunDocumentDep
from backend.api.stored.responses import NOT_MODIFIED
from backend.core.access.permissions import Permission
from backend.core.run_results.service import read_run_results

router = NounRouter(
    prefix="/runs",
    tags=["runs"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@router.get("/{run_id}/answer", response_model=Answer, responses=NOT_MODIFIED)
async def get_run_answer(document: RunDocumentDep) -> Response:
    """Return the answer of a run: its headline, sentences, ranks, warnings and outcome."""
    return await document.respond(
        lambda session, run: answer_out(read_run_results(session, run)), shows_changes=True
    )
