"""Load the catalogue's manifests into the database, and register bench hosts."""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.catalog import repository
from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import (
    merge_catalogue,
    read_sources,
    register_sources,
)
from backend.core.catalog.source_repository import lock_catalogue
from backend.core.catalog.study import StudyManifest
from backend.core.documents import HostFingerprint
from backend.core.errors import Conflict
from backend.core.models import Host, Study
from backend.core.schema import get_revision
from backend.core.units import RuntimeKind


def load_catalog(session: Session, services_dir: Path) -> Catalogue:
    """Register the services folder of the installation, and merge the catalogue.

    Studies come from this folder only. Removed entries are marked, never deleted.

    Raises:
        ManifestInvalid: with file, key and fix; nothing is written.
    """
    catalogue = Catalogue(services_dir)
    sources, studies = read_sources(catalogue), catalogue.studies
    # Two installers of one installation may start at the same time.
    lock_catalogue(session)
    register_sources(session, None, sources)
    _load_studies(session, studies)
    session.flush()
    merge_catalogue(session)
    return catalogue


def _load_studies(session: Session, studies: Mapping[str, tuple[StudyManifest, Path]]) -> None:
    known = {item.slug: item for item in session.scalars(select(Study))}
    for slug, (manifest, _) in studies.items():
        study = known.pop(slug, None)
        if study is None:
            study = Study(slug=slug)
            session.add(study)
        study.name, study.position = manifest.name, manifest.position
        study.manifest = manifest.model_dump(mode="json")
        study.present = True
    for gone in known.values():
        gone.present = False


def register_host(
    session: Session,
    queue: str,
    *,
    runtime: RuntimeKind,
    fingerprint: HostFingerprint,
    fingerprint_digest: str,
    harness: Mapping[str, str],
    runtime_reason: str = "",
    service_address: str = "",
) -> Host:
    """Store the properties of a bench host when its worker starts.

    Args:
        queue: TACHO_BENCH_HOST of the worker. A host that is not known yet gets it as its name.

    Raises:
        Conflict: another host has this name.
    """
    host = repository.find_host_of_queue(session, queue)
    if host is None:
        if repository.find_host(session, queue) is not None:
            raise Conflict(
                f"The name {queue!r} belongs to another bench host. Set TACHO_BENCH_HOST to a name "
                "that no host has."
            )
        host = Host(name=queue, queue=queue)
        session.add(host)
    host.runtime = runtime
    host.runtime_reason = runtime_reason
    host.fingerprint = fingerprint
    host.fingerprint_digest = fingerprint_digest
    host.harness = dict(harness)
    host.service_address = service_address
    host.schema_revision = get_revision()
    host.seen_at = func.now()
    session.flush()
    return host
