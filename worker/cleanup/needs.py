"""The builds and base images that the catalogue, unfinished or confirmation runs may need."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from backend.core.catalog.folders import Catalogue
from backend.core.changes.comparable_builds import list_comparable_builds
from backend.core.documents import Builds
from backend.core.runs.repository import list_requested_builds
from worker.bench.bench import Bench
from worker.runtime.stored import name_build
from worker.stages.build import list_programs


def find_needs(session: Session, bench: Bench) -> dict[str, str]:
    """Return why builds and base images are needed, by `StoredItem.build_name` or `name`.

    Raises:
        ManifestInvalid: the catalogue is wrong, so it is not known what it needs.
        RuntimeUnavailable: the file of the resolved base images is damaged.
    """
    catalogue = bench.read_catalogue()
    comparable = list_comparable_builds(session, bench.host_id, catalogue.frameworks)
    requested = list_requested_builds(session, bench.host_id)
    return {
        **dict.fromkeys(_name_all(comparable), "a confirmation run may need it"),
        **dict.fromkeys(_name_all(requested), "an unfinished run needs it"),
        **dict.fromkeys(_list_current(bench, catalogue), "the catalogue needs it"),
    }


def _name_all(found: Iterable[Builds]) -> list[str]:
    return [name_build(slug, digest) for builds in found for slug, digest in builds.items()]


def _list_current(bench: Bench, catalogue: Catalogue) -> list[str]:
    """Return the builds and base images of the files that this host has now."""
    builds = [
        name_build(program.slug, bench.digest_as_pinned(program.source, program.recipe.docker))
        for program in list_programs(catalogue)
    ]
    bases = bench.bases.list_built(catalogue.list_bases()) if bench.bases else []
    return [*builds, *bases]
