"""GET, PUT, DELETE /examples."""

from pydantic import Field

from backend.api.deps import SessionDep, SettingsDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Page
from backend.core.bodies import Schema
from backend.core.operations.examples import service as examples
from backend.core.people.access.permissions import Permission
from backend.core.results.run_results.answer.stored import write_outcomes


class ExampleOut(Schema):
    slug: str = Field(examples=["k3v9q2mx4d"], description="Slug of the run.")
    title: str
    study: str | None = None
    host: str = Field(description="Host that measured the run.")
    loaded: bool
    left_out: int = Field(
        description="Cells that were not loaded because the catalogue has no framework for them."
    )


class Removed(Schema):
    runs: int = Field(description="Number of deleted runs.")


router = NounRouter(prefix="/examples", tags=["examples"])


@router.get("", responses=problems(422), dependencies=[needs(Permission.OPEN)])
def list_examples(session: SessionDep, settings: SettingsDep) -> Page[ExampleOut]:
    """Return the example runs of this version, and whether they are loaded."""
    found = examples.list_examples(session, settings.services_dir)
    return Page(items=[ExampleOut.of(item) for item in found])


@router.put("", dependencies=[needs(Permission.OPERATE)], responses=problems(401, 413, 422))
def load_examples(
    session: SessionDep, workspace_id: WorkspaceDep, settings: SettingsDep
) -> Page[ExampleOut]:
    """Load all example runs into the workspace of the request, as public runs.

    Runs that are already loaded stay.
    """
    found = examples.load_examples(session, workspace_id, settings.services_dir)
    write_outcomes(session, [slug for item in found for slug in item.run_slugs])
    return Page(items=[ExampleOut.of(item) for item in found])


@router.delete("", dependencies=[needs(Permission.OPERATE)], responses=problems(401, 413, 422))
def remove_examples(session: SessionDep) -> Removed:
    """Delete all example runs with their numbers and hosts."""
    return Removed(runs=examples.remove_examples(session))
