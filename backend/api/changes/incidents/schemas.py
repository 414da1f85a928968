"""Incidents: the changes that came with one build, or with one shift of a host."""

from datetime import datetime
from uuid import UUID

from pydantic import AliasPath, Field

from backend.api.changes.schemas import ChangeOut, ChangePatch, ShiftOut
from backend.api.runs.schemas import RunListItem
from backend.api.schemas import FrameworkRef, Schema
from backend.core.changes.incidents.build_differences import FileChange
from backend.core.statuses import ChangeStatus, IncidentKind


class IncidentItem(Schema):
    """An incident in a list."""

    id: UUID
    kind: IncidentKind = Field(
        description="`service`: series of one framework shifted. `host`: most series of the host."
    )
    status: ChangeStatus = Field(
        description="The first of testing, suspected, confirmed, host_drift and dismissed that one "
        "of its changes has."
    )
    is_open: bool = Field(
        description="Whether one of its changes is undecided, or confirmed and not acknowledged."
    )
    headline: str = Field(
        examples=["Latency p99 of Node.js on Hello is 1.08× [1.05, 1.11] of the earlier level"]
    )
    framework: FrameworkRef | None = Field(description="Null for a shift of the host.")
    host: str
    at: datetime = Field(description="Creation time of the first run at a new level.")
    found_at: datetime
    note: str | None
    lead: ShiftOut = Field(description="The largest change.")
    changes_total: int
    changes_worse: int = Field(description="Number of changes whose new level is worse.")
    changes_better: int


class ChangedValueOut(Schema):
    """A value that differs before and after."""

    subject: str = Field(examples=["framework"])
    before: str = Field(validation_alias=AliasPath("one"), examples=["5.1.0"])
    after: str = Field(validation_alias=AliasPath("other"), examples=["5.2.0"])


class FileDifferenceOut(Schema):
    path: str
    change: FileChange
    diff: str | None = Field(
        description="Unified diff. Null if the text is not stored, or if the caller may not make "
        "changes."
    )
    is_cut: bool = Field(description="Whether `diff` is only the beginning of the difference.")


class ProgramDifferenceOut(Schema):
    """A program whose build differs before and after."""

    program: str = Field(examples=["node"])
    before: str = Field(description="Content digest of the build before.")
    after: str
    is_recorded: bool = Field(
        description="Whether the sources of both builds are recorded. If not, only the digests are "
        "known."
    )
    versions: list[ChangedValueOut]
    files: list[FileDifferenceOut]


class IncidentOut(IncidentItem):
    """An incident with its changes, its confirmation runs and the differences of its builds."""

    next_step: str = Field(description="The next step, as a sentence.")
    shown: ChangeOut = Field(description="The first of the changes, with the points of its series.")
    changes: list[ShiftOut] = Field(
        description="Changes with the status of the incident first, each the largest first."
    )
    confirmation_runs: list[RunListItem] = Field(description="The newest first.")
    programs: list[ProgramDifferenceOut] = Field(
        description="Programs whose build differs. Empty if the builds are equal or unknown."
    )
    commit_before: str | None = Field(
        description="Git commit of Tacho and its services before the change, if it is known."
    )
    commit_after: str | None
    environment: list[ChangedValueOut] = Field(
        description="Differences of the environments of the trials before and after."
    )


class IncidentPatch(ChangePatch):
    """A decision about an incident. Fields that are left out do not change.

    A status applies to its undecided changes, or to all changes if none is undecided. The note is
    that of the incident.
    """


class IncidentCounts(Schema):
    """Number of incidents by status, and of those that are open."""

    open: int
    suspected: int
    testing: int
    confirmed: int
    dismissed: int
    host_drift: int


class OpenCount(Schema):
    """Number of open incidents."""

    open: int
