"""Sources of bench hosts that are not valid. They count for nothing, and operators see them.

A bench host writes the manifests of its sources. The database checks their shape, and this module
the rest, before anything else reads them. Faults are found again when they are needed, not stored.
"""

import logging
from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy.orm import Session

from backend.core.catalog import source_repository as repository
from backend.core.catalog.manifest import FrameworkManifest, ScenarioManifest, list_problems
from backend.core.models import HostFramework, HostScenario

_log = logging.getLogger(__name__)
_MOST_KNOWN = 100_000
# The valid sources. A host cannot change the manifest of a row, and the database sets the time.
_valid: set[repository.SourceKey] = set()
_logged: set[UUID] = set()


class SourceFault(NamedTuple):
    """A source that is not valid, and why. `host_id` is None for the installation's own folder."""

    source_id: UUID
    host_id: UUID | None
    detail: str


def list_source_faults(
    session: Session, host_ids: Collection[UUID] | None = None
) -> list[SourceFault]:
    """Return the faults of all sources, or of those of some hosts."""
    if len(_valid) > _MOST_KNOWN:
        _valid.clear()
    frameworks = repository.list_unknown(session, HostFramework, _valid, host_ids)
    scenarios = repository.list_unknown(session, HostScenario, _valid, host_ids)
    faults = [_check(source, FrameworkManifest, "framework") for source in frameworks]
    faults += [_check(source, ScenarioManifest, "scenario") for source in scenarios]
    return [fault for fault in faults if fault is not None]


def _check(
    source: HostFramework | HostScenario,
    model: type[FrameworkManifest | ScenarioManifest],
    kind: str,
) -> SourceFault | None:
    fault = find_manifest_fault(source.slug, source.manifest, model)
    if not fault:
        _valid.add(repository.SourceKey(source.id, source.registered_at))
        return None
    detail = f"The {kind} {source.slug} is not valid: {fault}."
    return SourceFault(source.id, source.host_id, detail)


def find_manifest_fault(
    slug: str, manifest: object, model: type[FrameworkManifest | ScenarioManifest]
) -> str:
    """Return what is wrong with a manifest; empty if nothing is."""
    try:
        parsed = model.model_validate(manifest)
    except ValidationError as error:
        problem = list_problems(error)[0]
        return f"{problem['field']} {problem['detail']}".strip()[:300]
    return "" if parsed.slug == slug else "its slug is that of another entry"


def log_new_faults(faults: Collection[SourceFault]) -> None:
    """Log each fault one time."""
    for fault in faults:
        if fault.source_id not in _logged:
            _log.warning("a source of the bench host %s is left out: %s", fault.host_id, fault[2])
    _logged.clear()
    _logged.update(fault.source_id for fault in faults)
