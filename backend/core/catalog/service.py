"""Load the catalogue's manifests into the database, and register bench hosts."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from backend.core.catalog import repository
from backend.core.catalog.folders import Catalogue
from backend.core.catalog.sources import digest_sources
from backend.core.documents import FrameworkDocument, HostFingerprint
from backend.core.errors import Conflict
from backend.core.models import Framework, Host, Scenario, Study
from backend.core.units import RuntimeKind

_FRAMEWORK = TypeAdapter(FrameworkDocument)


def load_catalog(session: Session, services_dir: Path) -> Catalogue:
    """Write every manifest to the database. Removed entries are marked, never deleted.

    Raises:
        ManifestInvalid: with file, key and fix; nothing is written.
    """
    catalogue = Catalogue(services_dir)
    # Two workers of one installation may start at the same time.
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('tacho.catalog', 0))"))
    known_frameworks = {item.slug: item for item in session.scalars(select(Framework))}
    colour = max((item.colour for item in known_frameworks.values()), default=-1)
    for slug, (manifest, source) in catalogue.frameworks.items():
        framework = known_frameworks.pop(slug, None)
        if framework is None:
            colour += 1
            framework = Framework(slug=slug, colour=colour)
            session.add(framework)
        framework.name, framework.language = manifest.name, manifest.language
        framework.manifest = _FRAMEWORK.validate_python(manifest.model_dump(mode="json"))
        framework.digest = digest_sources([source])
        framework.present = True
    known_scenarios = {item.slug: item for item in session.scalars(select(Scenario))}
    for slug, (scenario_manifest, _) in catalogue.scenarios.items():
        scenario = known_scenarios.pop(slug, None)
        if scenario is None:
            scenario = Scenario(slug=slug)
            session.add(scenario)
        scenario.name = scenario_manifest.name
        scenario.manifest = scenario_manifest.model_dump(mode="json")
        scenario.digest = catalogue.scenario_digest(slug)
        scenario.present = True
    _load_studies(session, catalogue)
    for gone in known_frameworks.values():
        gone.present = False
    for missing in known_scenarios.values():
        missing.present = False
    session.flush()
    return catalogue


def _load_studies(session: Session, catalogue: Catalogue) -> None:
    known = {item.slug: item for item in session.scalars(select(Study))}
    for slug, (manifest, _) in catalogue.studies.items():
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
    unavailable: Mapping[str, str],
    runtime_reason: str = "",
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
    host.unavailable = dict(unavailable)
    host.seen_at = func.now()
    session.flush()
    return host
