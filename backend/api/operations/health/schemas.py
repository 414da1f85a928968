"""The health of the parts."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from backend.api.operations.hosts.schemas import HostState
from backend.api.schemas import Schema


class PartStatus(StrEnum):
    OK = "ok"
    DOWN = "down"


class HostHealth(Schema):
    name: str = Field(examples=["bench-01"])
    status: PartStatus = Field(
        description="`down` if the worker sent no sign of life for 30 s, or if it waits for an "
        "update."
    )
    state: HostState
    disk_shortage: str | None = Field(
        None,
        description="Which disk of the host or database has too little free space, so that the "
        "host takes no new trials, and what to do. Null if none.",
    )


class PartHealth(Schema):
    """A part that `tacho up` supervises."""

    name: str = Field(examples=["worker"])
    status: PartStatus = Field(
        description="`down` after an unexpected end, until the part has run for a minute."
    )
    restarts: int = Field(description="Number of restarts since Tacho started.")
    reason: str | None = Field(
        description="How the process of the part ended last.", examples=["ended with exit code 1"]
    )
    failed_at: datetime | None = Field(description="When the process of the part ended last.")
    next_try_at: datetime | None = Field(
        description="When the part is started again. Null if the part runs."
    )
    last_lines: list[str] = Field(
        description="The last lines of the log of the part. Only operators see them."
    )


class LoadGeneratorHealth(Schema):
    """The build of the load generator, which runs wait for."""

    host: str = Field(description="The bench host.", examples=["bench-01"])
    remaining_seconds: int | None = Field(
        description="About how long the build still takes. Null at the beginning of the build."
    )


class BackupHealth(Schema):
    """The state of the scheduled backups."""

    succeeded_at: datetime | None = Field(description="End of the last successful backup.")
    failed_at: datetime | None = Field(
        description="End of the last attempt, if it failed. Null otherwise."
    )
    error: str | None = Field(description="Why it failed. Only operators see it.")
    next_at: datetime = Field(description="When the next backup begins.")
    is_overdue: bool = Field(description="Whether the next backup should have ended by now.")


class Health(Schema):
    status: PartStatus
    database: PartStatus
    broker: PartStatus
    hosts: list[HostHealth]
    parts: list[PartHealth] = Field(
        description="The parts that `tacho up` supervises. Empty if another program, such as "
        "Docker, restarts them."
    )
    load_generator: LoadGeneratorHealth | None = Field(
        None,
        description="The load generator that `tacho up` is building. Runs on its host wait. Null "
        "if nothing is being built.",
    )
    database_disk_shortage: str | None = Field(
        None,
        description="How much space the disk of the database lacks, so that no new runs are "
        "accepted, and what to do. Null if it has enough, or if nothing is known about it.",
    )
    backup: BackupHealth | None = Field(
        None,
        description="Null if no scheduled backup was ever attempted, or if scheduled backups are "
        "switched off.",
    )
    version: str
    statistics_version: int = Field(
        description="Version of the statistics that computes results now. A snapshot contains the"
        " version that computed it."
    )
    schema_problem: str | None = Field(
        None,
        description="How the schema of the database differs from that of this API, and "
        "what to do. Null if it does not differ, or if the database does not answer.",
    )
    detail: str | None = Field(None, description="The parts that are down.")
