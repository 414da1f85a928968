"""The catalogue is the union of what the installation and its bench hosts have."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, text
from sqlalchemy.orm import Session

from backend.core.catalog import repository
from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import merge_catalogue, read_sources, register_sources
from backend.core.catalog.service import load_catalog, register_host
from backend.core.catalog.source_repository import find_registered
from backend.core.models import Host, HostFramework
from backend.core.units import RuntimeKind
from backend.tests.catalogue import write_services


def join(session: Session, name: str, services: Path, *, has_joined: bool = False) -> Host:
    """Register a bench host with this services folder.

    Args:
        has_joined: whether it joined with a key.
    """
    host = register_host(
        session,
        name,
        runtime=RuntimeKind.PROCESS,
        fingerprint={"logical_cores": 4},
        fingerprint_digest="d",
        harness={"tacho": "0.0.0"},
    )
    if has_joined:
        host.joined_at = datetime.now(UTC)
    register(session, host, services)
    return host


def register(session: Session, host: Host, services: Path, **unavailable: str) -> None:
    register_sources(session, host.id, read_sources(Catalogue(services)), unavailable)
    merge_catalogue(session)
    session.expire_all()


def change(services: Path, slug: str) -> None:
    (services / "frameworks" / "javascript" / slug / "server.js").write_text(f"new {services}")


@pytest.fixture
def own(session: Session, tmp_path: Path) -> Path:
    """The services folder of the installation, with the frameworks `a` and `b`."""
    folder = write_services(tmp_path / "own", "a", "b")
    load_catalog(session, folder)
    return folder


def list_slugs(session: Session) -> list[str]:
    return [framework.slug for framework in repository.list_frameworks(session)]


def test_a_framework_is_removed_when_its_last_host_loses_it(
    session: Session, own: Path, tmp_path: Path
) -> None:
    host = join(session, "bench-02", write_services(tmp_path / "second", "c"))
    assert list_slugs(session) == ["a", "b", "c"]

    register(session, host, write_services(tmp_path / "third", "b"))

    assert list_slugs(session) == ["a", "b"]
    assert repository.get_framework(session, "c").present is False


def test_a_framework_is_removed_with_its_host(session: Session, own: Path, tmp_path: Path) -> None:
    host = join(session, "bench-02", write_services(tmp_path / "second", "c"))

    session.delete(host)
    session.flush()
    merge_catalogue(session)

    assert list_slugs(session) == ["a", "b"]


def test_the_files_of_a_revoked_host_do_not_count(
    session: Session, own: Path, tmp_path: Path
) -> None:
    second = write_services(tmp_path / "second", "a", "c")
    change(second, "a")
    before = repository.get_framework(session, "a").digest
    host = join(session, "bench-02", second)
    assert repository.get_framework(session, "a").digest != before

    host.revoked_at = func.now()
    merge_catalogue(session)

    assert list_slugs(session) == ["a", "b"]
    assert repository.get_framework(session, "a").digest == before


def test_the_files_that_were_registered_last_count(
    session: Session, own: Path, tmp_path: Path
) -> None:
    first = join(session, "bench-01", own)
    before = repository.get_framework(session, "a").digest
    second = write_services(tmp_path / "second", "a", "b")
    change(second, "a")

    join(session, "bench-02", second)
    changed = repository.get_framework(session, "a").digest
    # A worker that starts again with the same files makes them no newer.
    register(session, first, own)

    assert changed != before
    assert repository.get_framework(session, "a").digest == changed
    change(own, "a")
    register(session, first, own)
    assert repository.get_framework(session, "a").digest not in {before, changed}


def test_a_host_that_joined_adds_entries_and_replaces_none_of_the_installation(
    session: Session, own: Path, tmp_path: Path
) -> None:
    before = repository.get_framework(session, "a").digest
    second = write_services(tmp_path / "second", "a", "c")
    change(second, "a")

    host = join(session, "bench-02", second, has_joined=True)

    assert list_slugs(session) == ["a", "b", "c"]
    assert repository.get_framework(session, "a").digest == before
    own_c = find_registered(session, HostFramework, host.id)["c"]
    assert repository.get_framework(session, "c").digest == own_c.digest


def test_among_hosts_that_joined_the_oldest_files_count(
    session: Session, own: Path, tmp_path: Path
) -> None:
    assert list_slugs(session) == ["a", "b"]
    first, second = (write_services(tmp_path / name, "c") for name in ("first", "second"))
    change(second, "c")
    host = join(session, "bench-01", first, has_joined=True)
    before = repository.get_framework(session, "c").digest

    join(session, "bench-02", second, has_joined=True)

    assert repository.get_framework(session, "c").digest == before
    # Its owner edits it, and it becomes the newest one.
    change(first, "c")
    register(session, host, first)
    framework = repository.get_framework(session, "c")
    assert framework.digest == Catalogue(second).framework_digest("c") != before


def test_a_merge_without_differences_writes_nothing(session: Session, own: Path) -> None:
    join(session, "bench-01", own)
    # The place of a row changes with each write.
    places = text("SELECT ctid FROM framework UNION ALL SELECT ctid FROM scenario ORDER BY 1")
    before = session.scalars(places).all()

    merge_catalogue(session)

    assert session.scalars(places).all() == before
