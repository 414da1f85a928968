"""Loading the catalogue: removed entries stay readable, and an invalid manifest writes nothing."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.catalog import repository
from backend.core.catalog.service import load_catalog, register_host
from backend.core.errors import ManifestInvalid, NotFound
from backend.core.models import Framework, Host, Scenario
from backend.core.units import RuntimeKind
from backend.tests.catalogue import write_framework, write_services
from backend.tests.factories import add_host


@pytest.fixture
def services(session: Session, tmp_path: Path) -> Path:
    """Load a catalogue of the frameworks `a` and `b`."""
    load_catalog(session, write_services(tmp_path, "a", "b"))
    return tmp_path


def test_colours_stay_when_frameworks_come_and_go(session: Session, services: Path) -> None:
    colours = {each.slug: each.colour for each in repository.list_frameworks(session)}
    assert len(set(colours.values())) == 2

    write_framework(services, "aa")
    shutil.rmtree(services / "frameworks" / "javascript" / "a")
    load_catalog(session, services)
    write_framework(services, "a")
    load_catalog(session, services)

    again = {each.slug: each.colour for each in repository.list_frameworks(session)}
    assert {slug: again[slug] for slug in colours} == colours
    assert again["aa"] not in colours.values()


def test_a_removed_framework_is_readable_but_cannot_be_selected(
    session: Session, services: Path
) -> None:
    shutil.rmtree(services / "frameworks" / "javascript" / "b")

    load_catalog(session, services)

    assert [each.slug for each in repository.list_frameworks(session)] == ["a"]
    assert set(repository.find_frameworks(session, ["a", "b"])) == {"a"}
    assert repository.get_framework(session, "b").present is False
    with pytest.raises(NotFound, match="no framework 'never'"):
        repository.get_framework(session, "never")


def test_a_removed_scenario_is_marked(session: Session, services: Path) -> None:
    # This catalogue replaced the repository's own, which has slow-upstream.
    assert [each.slug for each in repository.list_scenarios(session)] == ["hello"]
    assert repository.get_scenario(session, "slow-upstream").present is False


def test_an_invalid_manifest_writes_nothing(session: Session, services: Path) -> None:
    rows = count(session, Framework), count(session, Scenario)
    write_framework(services, "aa")
    (services / "frameworks" / "javascript" / "b" / "server.js").write_text("new")
    digests = {each.slug: each.digest for each in repository.list_frameworks(session)}
    path = write_framework(services, "zz", 'licence = "MIT"\n', "")

    with pytest.raises(ManifestInvalid, match=f"{path}: licence: is required"):
        load_catalog(session, services)

    session.expire_all()
    assert (count(session, Framework), count(session, Scenario)) == rows
    assert {each.slug: each.digest for each in repository.list_frameworks(session)} == digests


def test_a_host_is_registered_once_and_updated_later(session: Session) -> None:
    first = add_host(session)
    again = register_host(
        session,
        first.name,
        runtime=RuntimeKind.DOCKER,
        fingerprint=first.fingerprint,
        fingerprint_digest="d",
        harness={"tacho": "0.0.0"},
    )

    assert again.id == first.id
    assert count(session, Host) == 1
    assert again.runtime == "docker"


def count(session: Session, table: type[Framework | Scenario | Host]) -> int:
    return session.scalars(select(func.count()).select_from(table)).one()
