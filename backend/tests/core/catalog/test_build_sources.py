"""The recorded sources of builds."""

import secrets
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from backend.core.catalog.build_sources import (
    find_sources,
    list_unrecorded,
    read_files,
    record_source,
)
from backend.core.catalog.sources import SourceTree
from backend.tests.factories import add_host


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "node"
    folder.mkdir()
    (folder / "server.js").write_text("serve();\n")
    (folder / "package-lock.json").write_text("{}")
    (folder / "logo.png").write_bytes(b"\x89PNG\xff")
    return folder


def test_text_is_kept_except_that_of_generated_and_binary_files(folder: Path) -> None:
    (folder / "long.txt").write_text("x" * 65 * 1024)

    texts = {file["path"]: file["text"] for file in read_files(SourceTree(folder))}

    assert texts == {
        "server.js": "serve();\n",
        "package-lock.json": None,
        "logo.png": None,
        "long.txt": None,
    }


def test_a_source_is_recorded_once(session: Session, folder: Path) -> None:
    digest, source, host_id = secrets.token_hex(32), SourceTree(folder), add_host(session).id
    assert list_unrecorded(session, host_id, [digest]) == {digest}
    record_source(session, host_id, digest, "node", {"framework": "1.0"}, source)
    (folder / "server.js").write_text("another();\n")
    record_source(session, host_id, digest, "node", {"framework": "2.0"}, source)

    assert list_unrecorded(session, host_id, [digest]) == set()
    recorded = find_sources(session, host_id, [digest])[digest]
    assert recorded.versions == {"framework": "1.0"}
    assert {file["path"]: file["text"] for file in recorded.files}["server.js"] == "serve();\n"


def test_the_source_that_a_host_records_counts_for_its_own_builds_only(
    session: Session, folder: Path
) -> None:
    digest = secrets.token_hex(32)
    first, second = add_host(session, "bench-01").id, add_host(session, "bench-02").id
    record_source(session, first, digest, "node", {"framework": "1.0"}, SourceTree(folder))

    assert list_unrecorded(session, second, [digest]) == {digest}
    assert find_sources(session, second, [digest]) == {}
    record_source(session, second, digest, "node", {"framework": "2.0"}, SourceTree(folder))
    assert find_sources(session, first, [digest])[digest].versions == {"framework": "1.0"}
    assert find_sources(session, second, [digest])[digest].versions == {"framework": "2.0"}
