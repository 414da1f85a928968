"""The instrument's error of hosts, from their newest calibrations."""

from collections.abc import Collection, Mapping

from sqlalchemy.orm import Session

from backend.core.documents import SecondReading
from backend.core.instrument import repository
from backend.core.instrument.disagreement import (
    COMPARED_METRICS,
    NO_ERROR,
    GeneratorPair,
    InstrumentError,
    find_disagreements,
)
from backend.core.measurements import repository as measurements
from backend.core.units import Metric, ProfileKind

InstrumentErrors = Mapping[tuple[str, str], InstrumentError]


def find_errors(session: Session, hosts: Collection[str]) -> InstrumentErrors:
    """Return the instrument's error by name and fingerprint digest of the host.

    A host is left out if it was never calibrated with a second load generator, or if it or its
    harness has changed since. The visibility of the calibration does not matter, because all
    visitors must see the same ranks.
    """
    rows = repository.list_readings(session, hosts)
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
    return {
        key: InstrumentError(find_disagreements(own))
        for key, own in pairs.items()
        if key not in changed
    }


def select_error(errors: InstrumentErrors, host: str, host_digest: str | None) -> InstrumentError:
    """Return the error for results of a host in the state that it had when it measured them."""
    return errors.get((host, host_digest or ""), NO_ERROR)


def make_pair(
    kind: ProfileKind, reading: SecondReading, ours: Mapping[Metric, float]
) -> GeneratorPair:
    """Return what both load generators measured in a trial."""
    return GeneratorPair(
        kind=kind, generator=reading["generator"], ours=ours, theirs=reading["metrics"]
    )
