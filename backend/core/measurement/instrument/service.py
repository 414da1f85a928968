"""The errors of hosts and their load generators, from their newest calibrations."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select, true
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from backend.core.computed_once import ComputedOnce
from backend.core.documents import CrossCheckReading, Harness, TrialEnvironment
from backend.core.measurement.instrument.disagreement import (
    COMPARED_METRICS,
    NO_ERROR,
    Disagreement,
    GeneratorPair,
    InstrumentError,
    add_to_noise,
    find_disagreements,
    is_open,
)
from backend.core.measurement.instrument.noise import NOISY_METRICS, find_noises
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Cell, Host, Run, Trial
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import Metric, ProfileKind, Purpose

InstrumentErrors = Mapping[tuple[str, str], InstrumentError]

# A finished calibration does not change, so its noise is computed once in each process.
_MOST_KEPT = 64
_noises: ComputedOnce[UUID, _CalibratedNoise] = ComputedOnce(_MOST_KEPT)


@dataclass(frozen=True)
class _CalibratedNoise:
    """The noise that a calibration measured.

    Attributes:
        states: fingerprint digest of the host, and its harness, of the trials.
        smallest_ratios: the minimum detectable ratio that noise alone explains.
        error: of a host whose load generators do not disagree.
    """

    states: Sequence[tuple[str | None, Harness | None]]
    smallest_ratios: Mapping[tuple[Metric, ProfileKind], float]
    error: InstrumentError


class _CrossCheckTrial(NamedTuple):
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


class _CalibrationTrial(NamedTuple):
    """A succeeded trial of a calibration."""

    trial_id: UUID
    cell: Cell
    environment: TrialEnvironment


def find_errors(session: Session, hosts: Collection[str]) -> InstrumentErrors:
    """Return the errors by name and fingerprint digest of the host.

    They come from the newest calibration of each host, and the disagreement of its load generators
    from the newest with a cross-check. A calibration does not count if the host or its harness has
    changed since. Its visibility does not matter, because all visitors must see the same ranks.
    """
    disagreements = _find_disagreements(session, hosts)
    errors = {key: InstrumentError(found) for key, found in disagreements.items()}
    for host in list_calibrations(session, hosts):
        key, noise = (host.name, host.fingerprint_digest), _read_noise(session, host.run_id)
        if all(state == (key[1], host.harness) for state in noise.states):
            error = errors.get(key)
            errors[key] = _add_noise(error, noise.smallest_ratios) if error else noise.error
    return errors


def _add_noise(
    error: InstrumentError, smallest_ratios: Mapping[tuple[Metric, ProfileKind], float]
) -> InstrumentError:
    detectable: dict[tuple[Metric, bool], float] = {}
    for (metric, kind), smallest in smallest_ratios.items():
        key = metric, is_open(kind)
        ratio = add_to_noise(smallest, error.find_ratio(metric, kind))
        detectable[key] = max(ratio, detectable.get(key, 1.0))
    return replace(error, detectable=detectable)


def _read_noise(session: Session, run_id: UUID) -> _CalibratedNoise:
    """Return the noise that a finished calibration measured between equal cells."""
    return _noises.read_one(run_id, lambda: _compute_noise(session, run_id))


def _compute_noise(session: Session, run_id: UUID) -> _CalibratedNoise:
    rows = _list_calibration_trials(session, run_id)
    groups = list_equal_cells(list({row.cell.id: row.cell for row in rows}.values()))
    equal = {cell.id for cells in groups for cell in cells}
    trials = [row.trial_id for row in rows if row.cell.id in equal]
    values = measurements.list_metrics(session, trials, NOISY_METRICS)
    smallest: dict[tuple[Metric, ProfileKind], float] = {}
    for cells in groups:
        columns = [
            [values.get(row.trial_id, {}) for row in rows if row.cell.id == cell.id]
            for cell in cells
        ]
        kind = cells[0].kind
        for metric, noise in find_noises(columns, kind).items():
            key = metric, kind
            smallest[key] = max(noise.smallest_ratio, smallest.get(key, 1.0))
    states = [(row.environment.get("host_digest"), row.environment.get("harness")) for row in rows]
    return _CalibratedNoise(states, smallest, _add_noise(NO_ERROR, smallest))


def list_equal_cells(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return the groups of two or more cells that measure the same."""
    alike: dict[str, list[Cell]] = {}
    for cell in cells:
        what = (str(cell.framework_id), str(cell.scenario_id), cell.profile, cell.parameters)
        alike.setdefault(json.dumps(what, sort_keys=True), []).append(cell)
    return [group for group in alike.values() if len(group) > 1]


def _find_disagreements(
    session: Session, hosts: Collection[str]
) -> dict[tuple[str, str], list[Disagreement]]:
    rows = _list_cross_checks(session, hosts)
    if not rows:
        return {}
    values = measurements.list_metrics(session, [row.trial_id for row in rows], COMPARED_METRICS)
    pairs: dict[tuple[str, str], list[GeneratorPair]] = {}
    changed = set()
    for row in rows:
        host, environment = row.host, row.environment
        key = host.name, host.fingerprint_digest
        if (environment.get("host_digest"), environment.get("harness")) != (key[1], host.harness):
            changed.add(key)
        if row.reading is not None:
            pair = make_pair(row.kind, row.reading, values.get(row.trial_id, {}))
            pairs.setdefault(key, []).append(pair)
    return {key: find_disagreements(own) for key, own in pairs.items() if key not in changed}


def select_error(errors: InstrumentErrors, host: str, host_digest: str | None) -> InstrumentError:
    """Return the error for results of a host in the state that it had when it measured them."""
    return errors.get((host, host_digest or ""), NO_ERROR)


def find_run_error(session: Session, run: Run) -> InstrumentError:
    """Return the error for the results of a run; none if the host changed during the run.

    Args:
        run: with its host and its trials.
    """
    digests = {trial.environment.get("host_digest") for trial in run.trials if trial.environment}
    if len(digests) != 1:
        return NO_ERROR
    return select_error(find_errors(session, [run.host.name]), run.host.name, digests.pop())


def make_pair(
    kind: ProfileKind, reading: CrossCheckReading, ours: Mapping[Metric, float]
) -> GeneratorPair:
    """Return what both load generators measured in a trial."""
    return GeneratorPair(
        kind=kind, generator=reading["generator"], ours=ours, theirs=reading["metrics"]
    )


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


def _list_calibration_trials(session: Session, run_id: UUID) -> Sequence[_CalibrationTrial]:
    """Return the succeeded trials of a run with their cells."""
    query = (
        select(Trial.id, Cell, Trial.environment)
        .join(Cell, Cell.id == Trial.cell_id)
        .where(Trial.run_id == run_id, Trial.status == TrialStatus.SUCCEEDED)
        .order_by(Trial.position)
    )
    return [_CalibrationTrial(*row) for row in session.execute(query)]


def _list_cross_checks(session: Session, hosts: Collection[str]) -> Sequence[_CrossCheckTrial]:
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
    return [_CrossCheckTrial(*row) for row in session.execute(query)]
