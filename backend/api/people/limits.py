"""/limits: the limits of the caller and of the workspace."""

from enum import StrEnum

from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SettingsDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.process.callers import BURST_SECONDS
from backend.api.schemas import Page
from backend.core.bodies import Schema
from backend.core.people.access.permissions import Permission
from backend.core.runs.queue import quotas


class LimitName(StrEnum):
    REQUESTS = "requests"
    COMPUTING_SECONDS = "computing_seconds"
    STREAMS = "streams"
    QUEUED_TRIALS = "queued_trials"
    BENCH_MINUTES = "bench_minutes"


class LimitOut(Schema):
    """A limit, and what is used of it."""

    name: LimitName = Field(
        description="`requests` of the caller in one minute, `computing_seconds` of the caller "
        "(half a second of them becomes free in each second), event `streams` that the caller "
        "has open, `queued_trials` of the workspace, `bench_minutes` of measuring of the workspace "
        "in 24 hours, which includes the expected minutes of queued trials."
    )
    limit: int | None = Field(description="Null: no limit.")
    used: float


router = NounRouter(prefix="/limits", tags=["limits"], dependencies=[needs(Permission.VIEW)])


@router.get("", responses=problems(401, 403))
async def list_limits(
    session: SessionDep,
    settings: SettingsDep,
    resources: ResourcesDep,
    caller: CallerDep,
    workspace_id: WorkspaceDep,
) -> Page[LimitOut]:
    """Return the limits of the caller and of the workspace, and what is used of them now."""
    limits, usage = await run_in_threadpool(quotas.read_quotas, session, workspace_id)
    is_limited = caller.limit_key is not None
    figures = (
        (
            LimitName.REQUESTS,
            settings.limit_requests if is_limited else 0,
            await resources.rates.count_requests_used(caller.limit_key),
        ),
        (
            LimitName.COMPUTING_SECONDS,
            int(BURST_SECONDS) if is_limited else 0,
            round(BURST_SECONDS - resources.database.computing.find_left(caller.limit_key), 2),
        ),
        (
            LimitName.STREAMS,
            settings.limit_streams if is_limited else 0,
            resources.streams.count(caller.limit_key),
        ),
        (LimitName.QUEUED_TRIALS, limits.queued_trials, usage.queued_trials),
        (LimitName.BENCH_MINUTES, limits.bench_minutes, round(usage.bench_minutes, 1)),
    )
    return Page(
        items=[LimitOut(name=name, limit=limit or None, used=used) for name, limit, used in figures]
    )
