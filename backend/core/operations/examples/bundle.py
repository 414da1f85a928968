"""A run as a file that another installation can load: all data that its pages show.

The file is gzipped JSON: `{"version": 3, "host": {…}, "run": {…}, "cells": [{…}],
"trials": [{…}]}`, each object a row by column name. A cell has the slugs of framework and scenario,
a trial has its `metrics`, `samples` and `histogram`. Bytes are base64, times ISO 8601. Logs are not
included. `calibration` is the newest calibration of the host, with its `run`, `cells` and `trials`.
Without it, differences that the host cannot detect would be ranked. A file without
`version` was recorded before bundles were checked (`bundle_check.py`).
"""

import base64
import gzip
import json
from collections.abc import Collection, Iterable
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel, TypeAdapter
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeEngine

from backend.core.db import Base
from backend.core.documents import JsonObject
from backend.core.measurement.instrument.service import list_calibrations
from backend.core.measurement.measurements import repository as measurements
from backend.core.models import Host, Run
from backend.core.models.document import Document
from backend.core.runs import repository as runs
from backend.core.runs.removal import check_seconds

B = TypeVar("B", bound=Base)

# The version of new bundles. Since version 3, bundles of schedules have sources of builds and
# declare in which runs the recording itself took CPU time. Since version 4, a result that was not
# measured in a steady state breaks the rules.
BUNDLE_VERSION = 4
# Bundles of this version or a later one are refused if they break the rules of `bundle_check.py`.
CHECKED_VERSION = 4

_HOST = ("name", "runtime", "fingerprint", "fingerprint_digest", "harness")
# The state of finalization belongs to this installation, not to the result.
_FINALIZATION = (
    *("finalized_at", "finalization_attempts", "finalization_error", "finalize_after"),
    *("outcome", "summary", "outcome_version"),
    *("seconds_removed_at", "logs_removed_at", "removal_reason", "has_removed_rows"),
)


def pack_run(session: Session, run: Run) -> JsonObject:
    """Return the bundle of a run that has ended.

    Args:
        run: with its host, its cells (and their framework and scenario) and its trials.
    """
    return {**pack_host(session, run.host), **pack_measured(session, run)}


def pack_host(session: Session, host: Host) -> JsonObject:
    """Return the part of a bundle that does not depend on the run."""
    bundle: JsonObject = {
        "version": BUNDLE_VERSION,
        "host": {name: getattr(host, name) for name in _HOST},
    }
    for calibrated in list_calibrations(session, [host.name]):
        calibration = runs.get_run(session, str(calibrated.run_id))
        bundle["calibration"] = pack_measured(session, calibration)
    return bundle


def pack_measured(session: Session, run: Run) -> JsonObject:
    """Return a run as `run`, `cells` and `trials`; see `pack_run`.

    Raises:
        Gone: its seconds were removed.
    """
    check_seconds(run)
    metrics = measurements.list_metrics(session, [trial.id for trial in run.trials])
    histograms = {
        histogram.trial_id: histogram
        for histogram in measurements.list_histograms(session, [trial.id for trial in run.trials])
    }
    trials = []
    for trial in run.trials:
        row = pack_row(trial, {"run_id", "host_id", "lease_until"})
        row["metrics"] = metrics.get(trial.id, {})
        samples = measurements.list_samples(session, trial.id, None)
        row["samples"] = [pack_row(sample, {"trial_id"}) for sample in samples]
        histogram = histograms.get(trial.id)
        row["histogram"] = pack_row(histogram, {"trial_id"}) if histogram else None
        trials.append(row)
    left_out = {
        *("workspace_id", "host_id", "rerun_of_id", "idempotency_key", "request_id"),
        *_FINALIZATION,
    }
    return {
        "run": pack_row(run, left_out),
        "cells": [
            pack_row(cell, {"run_id", "framework_id", "scenario_id"})
            | {"framework": cell.framework.slug, "scenario": cell.scenario.slug}
            for cell in run.cells
        ],
        "trials": trials,
    }


def write_bundle(bundle: JsonObject, path: Path) -> None:
    """Write a bundle to a file. The same bundle gives the same bytes."""
    text = json.dumps(bundle, default=_plain, sort_keys=True, separators=(",", ":"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_bundle(path: Path) -> JsonObject:
    bundle: JsonObject = json.loads(gzip.decompress(path.read_bytes()))
    return bundle


def list_runs(bundle: JsonObject) -> list[JsonObject]:
    """Return the runs of a bundle, each with `run`, `cells` and `trials`; one if it is of a run."""
    runs: list[JsonObject] = bundle.get("runs") or [bundle]
    return runs


def make_row(model: type[B], row: JsonObject, **changes: object) -> B:
    """Create a row of a table; columns that no longer exist are left out."""
    return model(**read_row(model, row, **changes))


def read_row(model: type[Base], row: JsonObject, **changes: object) -> dict[str, object]:
    """Return the columns of a row, as values of their types."""
    given = {**row, **changes}
    return {name: _typed(kind, given[name]) for name, kind in _list_types(model) if name in given}


@cache
def _list_types(model: type[Base]) -> list[tuple[str, TypeEngine[object]]]:
    return [(column.name, column.type) for column in model.__table__.columns]


def pack_row(row: Base, left_out: Collection[str]) -> JsonObject:
    """Return a row by column name, without some columns."""
    names: Iterable[str] = (column.name for column in row.__table__.columns)
    return {name: getattr(row, name) for name in names if name not in left_out}


def _plain(value: object) -> object:
    if is_dataclass(value):
        return TypeAdapter(type(value)).dump_python(value, mode="json")
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be stored in a bundle")


def _typed(kind: TypeEngine[object], value: object) -> object:
    if isinstance(kind, Document):
        return kind.adapter.validate_python(value) if value else value
    if not isinstance(value, str):
        return value
    if kind.python_type is bytes:
        return base64.b64decode(value)
    if kind.python_type is datetime:
        return datetime.fromisoformat(value)
    return UUID(value) if kind.python_type is UUID else value
