"""Register the sources of a bench host, and merge those of all hosts into the catalogue.

A worker writes only the rows of its own host. The catalogue is the union of all rows; it is merged
by `tacho migrate`, `tacho up` and the dispatcher.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from backend.core.catalog import source_repository as repository
from backend.core.catalog.colours import Comparable, choose_colours
from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import FrameworkManifest, ScenarioManifest
from backend.core.catalog.source_faults import (
    find_manifest_fault,
    list_source_faults,
    log_new_faults,
)
from backend.core.documents import FrameworkDocument
from backend.core.models import Framework, HostFramework, HostScenario, Scenario

_FRAMEWORK = TypeAdapter(FrameworkDocument)
_Manifest = TypeVar("_Manifest", FrameworkDocument, dict[str, object])


@dataclass(frozen=True)
class Source(Generic[_Manifest]):
    """A framework or scenario in a services folder: digest of its files, and its manifest."""

    slug: str
    digest: str
    manifest: _Manifest


@dataclass(frozen=True)
class Sources:
    """The frameworks and scenarios of a services folder, in catalogue order."""

    frameworks: Sequence[Source[FrameworkDocument]]
    scenarios: Sequence[Source[dict[str, object]]]


def read_sources(catalogue: Catalogue) -> Sources:
    """Return the sources of a services folder; raise ManifestInvalid."""
    return Sources(
        [
            Source(
                slug,
                catalogue.framework_digest(slug),
                _FRAMEWORK.validate_python(manifest.model_dump(mode="json")),
            )
            for slug, (manifest, _) in catalogue.frameworks.items()
        ],
        [
            Source(slug, catalogue.scenario_digest(slug), manifest.model_dump(mode="json"))
            for slug, (manifest, _) in catalogue.scenarios.items()
        ],
    )


def register_sources(
    session: Session,
    host_id: UUID | None,
    sources: Sources,
    unavailable: Mapping[str, str] | None = None,
) -> None:
    """Replace the registered sources of a host. Unchanged sources keep their row and its time.

    Args:
        host_id: None for the services folder of the installation itself.
        unavailable: why the host cannot run a framework, by slug.
    """
    frameworks = repository.keep_unchanged(
        session, HostFramework, host_id, _describe(sources.frameworks)
    )
    for position, source in enumerate(sources.frameworks):
        row = frameworks.get(source.slug) or HostFramework(
            host_id=host_id, slug=source.slug, digest=source.digest, manifest=source.manifest
        )
        row.position = position
        row.unavailable = (unavailable or {}).get(source.slug)
        session.add(row)
    scenarios = repository.keep_unchanged(
        session, HostScenario, host_id, _describe(sources.scenarios)
    )
    for position, scenario in enumerate(sources.scenarios):
        own = scenarios.get(scenario.slug) or HostScenario(
            host_id=host_id, slug=scenario.slug, digest=scenario.digest, manifest=scenario.manifest
        )
        own.position = position
        session.add(own)
    session.flush()


def _describe(sources: Sequence[Source[_Manifest]]) -> dict[str, repository.Content]:
    """Return digest and manifest of each source by slug."""
    return {source.slug: (source.digest, source.manifest) for source in sources}


def merge_catalogue(session: Session) -> None:
    """Bring the catalogue in line with the registered sources of all hosts.

    Of several sources of an entry, one counts; see `repository.list_changed`. An entry without
    sources is marked as removed. Only entries that differ are read and written. Sources that are
    not valid do not count, so an entry of a hostile host does not prevent the merge.
    """
    # Several dispatchers and a start of the installation may do this at the same time.
    repository.lock_catalogue(session)
    faults = list_source_faults(session)
    log_new_faults(faults)
    left_out = [fault.source_id for fault in faults]
    changed = repository.list_changed(session, HostFramework, Framework, left_out)
    colours = _choose_colours(session, [source for source, known in changed if known is None])
    for source, known in changed:
        framework = known or Framework(slug=source.slug, colour=colours[source.slug])
        session.add(framework)
        framework.name = source.manifest["name"]
        framework.language = source.manifest["language"]
        framework.manifest, framework.digest = source.manifest, source.digest
        framework.present = True
    for own, entry in repository.list_changed(session, HostScenario, Scenario, left_out):
        scenario = entry or Scenario(slug=own.slug)
        session.add(scenario)
        scenario.name = str(own.manifest["name"])
        scenario.manifest, scenario.digest = own.manifest, own.digest
        scenario.present = True
    for gone in repository.list_gone(session, HostFramework, Framework, left_out):
        _remove(session, gone, FrameworkManifest)
    for missing in repository.list_gone(session, HostScenario, Scenario, left_out):
        _remove(session, missing, ScenarioManifest)
    session.flush()


def _choose_colours(session: Session, new: Sequence[HostFramework]) -> dict[str, int]:
    """Return the colours of frameworks that are not in the catalogue yet, by slug."""
    if not new:
        return {}
    studies = repository.list_study_frameworks(session)

    def describe(entry: HostFramework | Framework) -> Comparable:
        return describe_comparisons(entry.slug, entry.manifest["scenarios"], studies)

    known = repository.list_all_frameworks(session)
    return choose_colours(
        [describe(source) for source in new],
        [(describe(framework), framework.colour) for framework in known],
    )


def describe_comparisons(
    slug: str, scenarios: Collection[str], studies: Mapping[str, Collection[str]]
) -> Comparable:
    """Return what decides how often a framework is compared with others.

    Args:
        studies: the frameworks of each study.
    """
    within = frozenset(study for study, frameworks in studies.items() if slug in frameworks)
    return Comparable(slug, frozenset(scenarios), within)


def _remove(
    session: Session,
    entry: Framework | Scenario,
    model: type[FrameworkManifest | ScenarioManifest],
) -> None:
    """Mark an entry as removed; delete it if an earlier version merged it without a check."""
    entry.present = False
    if find_manifest_fault(entry.slug, entry.manifest, model):
        repository.delete_unused(session, entry)
