"""Limits and what is used of them."""

from enum import StrEnum

from pydantic import Field

from backend.api.schemas import Schema


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
