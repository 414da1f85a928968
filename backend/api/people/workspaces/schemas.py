"""Workspaces, for operators."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from backend.api.schemas import Name, RequestBody, Schema
from backend.core.people.workspaces.slug import MAX_LENGTH, MIN_LENGTH, SLUG_PATTERN

WorkspaceName = Annotated[Name, StringConstraints(min_length=1), Field(examples=["Web team"])]
Slug = Annotated[
    str,
    StringConstraints(min_length=MIN_LENGTH, max_length=MAX_LENGTH, pattern=SLUG_PATTERN),
    Field(examples=["web-team"]),
]


# The largest number that the database stores.
MOST = 2**31 - 1
_DEFAULT = "Null: the limit of the installation. 0: no limit."
_QUEUED_TRIALS = f"Queued and running trials of the workspace. {_DEFAULT}"
_BENCH_MINUTES = f"Minutes of measuring of the workspace in 24 hours. {_DEFAULT}"


class WorkspaceIn(RequestBody):
    name: WorkspaceName
    slug: Slug | None = Field(
        None, description="Name in addresses and in the header Tacho-Workspace. Default: from name."
    )


Limit = Annotated[int, Field(ge=0, le=MOST, strict=True)]


class WorkspacePatch(RequestBody):
    """The values to change."""

    name: WorkspaceName | None = None
    max_queued_trials: Limit | None = Field(None, examples=[500], description=_QUEUED_TRIALS)
    max_bench_minutes: Limit | None = Field(None, examples=[240], description=_BENCH_MINUTES)


class WorkspaceOut(Schema):
    id: UUID
    slug: str = Field(examples=["web-team"])
    name: str
    created_at: datetime
    members: int = Field(description="Number of members.")
    max_queued_trials: int | None = Field(description=_QUEUED_TRIALS)
    max_bench_minutes: int | None = Field(description=_BENCH_MINUTES)
    runs: int = Field(description="Number of runs, of any visibility.")
