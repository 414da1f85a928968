"""SQL for the measurements of a second load generator. Every function takes a session."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.documents import SecondReading, TrialEnvironment
from backend.core.models import Cell, Host, Run, Trial
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import ProfileKind, Purpose


class ReadingRow(NamedTuple):
    """A calibration trial that a second load generator measured too."""

    host: Host
    trial_id: UUID
    kind: ProfileKind
    reading: SecondReading | None
    environment: TrialEnvironment


def list_readings(session: Session, hosts: Collection[str]) -> Sequence[ReadingRow]:
    """Return these trials of the newest such calibration of each host, by host name."""
    newest = (
        select(Run.id)
        .join(Host, Host.id == Run.host_id)
        .where(
            Host.name.in_(hosts),
            Run.purpose == Purpose.CALIBRATION,
            Run.status == RunStatus.SUCCEEDED,
            Run.id.in_(select(Trial.run_id).where(Trial.second_reading.is_not(None))),
        )
        .order_by(Run.host_id, Run.created_at.desc(), Run.id.desc())
        .ext(distinct_on(Run.host_id))
    )
    query = (
        select(Host, Trial.id, Cell.kind, Trial.second_reading, Trial.environment)
        .join(Host, Host.id == Trial.host_id)
        .join(Cell, Cell.id == Trial.cell_id)
        .where(
            Trial.run_id.in_(newest),
            Trial.status == TrialStatus.SUCCEEDED,
            Trial.second_reading.is_not(None),
        )
        .order_by(Trial.position)
    )
    return [ReadingRow(*row) for row in session.execute(query)]
