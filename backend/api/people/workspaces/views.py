"""Workspaces as the API shows them to operators."""

from backend.api.people.workspaces.schemas import WorkspaceOut
from backend.core.models import Workspace


def workspace_out(workspace: Workspace, members: int, runs: int) -> WorkspaceOut:
    return WorkspaceOut(
        id=workspace.id,
        slug=workspace.slug,
        name=workspace.name,
        created_at=workspace.created_at,
        max_queued_trials=workspace.max_queued_trials,
        max_bench_minutes=workspace.max_bench_minutes,
        members=members,
        runs=runs,
    )
