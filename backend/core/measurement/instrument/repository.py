"""SQL for calibrations and their cross-checks. Every function takes a session."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select, true
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.documents import CrossCheckReading, Harness, TrialEnvironment
from backend.core.models import Cell, Host, Run, Trial
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import ProfileKind, Purpose


class CrossCheckTrial(NamedTuple):
    """A calibration trial with a cross-check."""

    host: Host
    trial_id: UUID
    kind: ProfileKind
    reading: CrossCheckReading | None
    environment: TrialEnvironment


class CalibratedHost(NamedTuple):
    """The current state of a host, and the id of its newest succeeded calibration."""

    name: str
    fingerprint_digest: str
    harness: Harness
    run_id: UUID


class CalibrationTrial(NamedTuple):
    """A succeeded trial of a calibration."""

    trial_id: UUID
    cell: Cell
    environment: TrialEnvironment


def list_calibrations(session: Session, hosts: Collection[str]) -> Sequence[CalibratedHost]:
    """Return these hosts by name, with the newest succeeded calibration of each that has any."""
    newest = (
        select(Run.id)
        .where(
            Run.host_id == Host.id,
            Run.purpose == Purpose.CALIBRATION,
            Run.status == RunStatus.SUCCEEDED,
        )
        .order_by(Run.created_at.desc(), Run.id.desc())
        .limit(1)
        .lateral()
    )
    query = select(Host.name, Host.fingerprint_digest, Host.harness, newest.c.id)
    query = query.join(newest, true()).where(Host.name.in_(hosts))
    return [CalibratedHost._make(row) for row in session.execute(query)]


def list_calibration_trials(session: Session, run_id: UUID) -> Sequence[CalibrationTrial]:
    """Return the succeeded trials of a run with their cells."""
    query = (
        select(Trial.id, Cell, Trial.environment)
        .join(Cell, Cell.id == Trial.cell_id)
        .where(Trial.run_id == run_id, Trial.status == TrialStatus.SUCCEEDED)
        .order_by(Trial.position)
    )
    return [CalibrationTrial(*row) for row in session.execute(query)]


def list_cross_checks(session: Session, hosts: Collection[str]) -> Sequence[CrossCheckTrial]:
    """Return the cross-checked trials of the newest calibration of each host that has any."""
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
    return [CrossCheckTrial(*row) for row in session.execute(query)]
