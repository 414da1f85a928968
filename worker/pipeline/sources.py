"""Record the sources of the builds that a trial measured."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import list_unrecorded, record_source
from worker.bench.bench import Bench
from worker.stages.build import Materials


def record_sources(session: Session, host_id: UUID, bench: Bench, materials: Materials) -> None:
    """Record the sources of the service, its peers and own backing services, once for each build.

    Sources that were edited since the build are left out.
    """
    versions = {
        name: text
        for name, text in materials.framework.versions.model_dump(exclude_none=True).items()
        if text
    }
    programs = {built.request.digest: built.request for built in materials.programs}
    for digest in list_unrecorded(session, host_id, programs):
        request = programs[digest]
        is_current = not request.is_kept and bench.digest(request.source, request.docker) == digest
        if is_current:
            record_source(session, host_id, digest, request.slug, versions, request.source)
