"""Sources of builds in a bundle, so that the pages of changes show what has changed.

`sources` holds the rows of the builds, whose files have no text. `texts` holds each text once, by
the SHA-256 of the file: most files of two builds of a program are the same.
"""

from collections.abc import Iterable, Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import find_sources, put_source
from backend.core.documents import BuildPair, JsonObject, SourceFile


def pack_sources(
    session: Session, host_id: UUID, differences: Iterable[Mapping[str, BuildPair]]
) -> JsonObject:
    """Return the part of a bundle with the recorded sources of these builds.

    Args:
        host_id: of the host that measured them.
        differences: of each incident, the builds before and after it, by program.
    """
    digests = {
        digest
        for programs in differences
        for pair in programs.values()
        for digest in (pair["before"], pair["after"])
    }
    found = find_sources(session, host_id, digests)
    sources = sorted(found.values(), key=lambda source: source.digest)
    return {
        "sources": [
            {
                "digest": source.digest,
                "program": source.program,
                "versions": source.versions,
                "files": [
                    {"path": file["path"], "sha256": file["sha256"]} for file in source.files
                ],
            }
            for source in sources
        ],
        "texts": {
            file["sha256"]: file["text"]
            for source in sources
            for file in source.files
            if file["text"] is not None
        },
    }


def load_sources(session: Session, bundle: JsonObject, host_id: UUID) -> None:
    """Store the sources of a bundle for its host, without those that are recorded already.

    Bundles of version 2 have none. They are removed with the host when example data is removed.
    """
    texts: Mapping[str, str] = bundle.get("texts", {})
    for source in bundle.get("sources", ()):
        files = [
            SourceFile(path=file["path"], sha256=file["sha256"], text=texts.get(file["sha256"]))
            for file in source["files"]
        ]
        put_source(session, host_id, source["digest"], source["program"], source["versions"], files)
