"""Reading the whole catalogue, and the digests of its folders."""

from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.sources import SourceTree
from backend.core.errors import ManifestInvalid, NotFound
from backend.tests.catalogue import (
    write_backing_service,
    write_framework,
    write_scenario,
    write_services,
)


def test_all_parts_of_a_catalogue_are_read(tmp_path: Path) -> None:
    catalogue = Catalogue(write_services(tmp_path, "a", "b"))

    assert list(catalogue.frameworks) == ["a", "b"]
    manifest, source = catalogue.get_framework("a")
    folder = tmp_path / "frameworks" / "javascript" / "a"
    assert (manifest.slug, source) == ("a", SourceTree(folder, boundary=tmp_path))
    assert catalogue.get_scenario("hello")[0].backing_services == ("upstream",)


def test_an_unknown_slug_is_not_found(tmp_path: Path) -> None:
    catalogue = Catalogue(write_services(tmp_path, "a"))

    with pytest.raises(NotFound, match="no framework 'z'"):
        catalogue.get_framework("z")
    with pytest.raises(NotFound, match="no scenario 'z'"):
        catalogue.get_scenario("z")


WRONG_FRAMEWORKS = [
    (
        "[scenarios.hello]",
        "[scenarios.helo]",
        "scenarios.helo: there is no such scenario; there are hello.",
    ),
    (
        "[scenarios.hello]\n",
        '[scenarios.hello]\nbacking_services = ["upstream", "eurekka"]\n',
        "scenarios.hello.backing_services: 'eurekka' is not a folder of services/backing; add it.",
    ),
    ('licence = "MIT"', 'licence = "MIT"\nversion_of = "b"', "version_of: is not a known key"),
]
WRONG_SCENARIOS = [
    (
        '["upstream"]',
        '["upstreem"]',
        "backing_services: 'upstreem' is not a folder of services/backing; add it.",
    ),
    # Defaults that are missing.
    ("rate_rps = 400\n", "", "profiles.rate.full.rate_rps: is required; add it."),
    # Defaults outside their bounds.
    ("rate_rps = 200", "rate_rps = 200000", "profiles.rate.quick.rate_rps: "),
    ("default = 1000", "default = 20000", "parameters.delay_ms.default: "),
]


@pytest.mark.parametrize(("old", "new", "expected"), WRONG_FRAMEWORKS)
def test_a_framework_that_does_not_fit_the_catalogue_is_reported(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    write_services(tmp_path)
    path = write_framework(tmp_path, "a", old, new)

    with pytest.raises(ManifestInvalid) as caught:
        _ = Catalogue(tmp_path).frameworks

    assert caught.value.detail.startswith(f"{path}: {expected}")


@pytest.mark.parametrize(("old", "new", "expected"), WRONG_SCENARIOS)
def test_a_scenario_that_does_not_fit_the_catalogue_is_reported(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    write_backing_service(tmp_path)
    path = write_scenario(tmp_path, "hello", old, new)

    with pytest.raises(ManifestInvalid) as caught:
        _ = Catalogue(tmp_path).scenarios

    assert caught.value.detail.startswith(f"{path}: {expected}")


def test_two_frameworks_cannot_share_a_slug(tmp_path: Path) -> None:
    write_services(tmp_path, "a")
    first = tmp_path / "frameworks" / "javascript" / "a"
    twin = tmp_path / "frameworks" / "typescript" / "a"
    twin.mkdir(parents=True)
    (twin / "service.toml").write_text((first / "service.toml").read_text())

    with pytest.raises(ManifestInvalid, match=f"slug: 'a' is taken by {first}"):
        _ = Catalogue(tmp_path).frameworks


def test_a_scenarios_digest_covers_its_scripts_and_its_backing_services(tmp_path: Path) -> None:
    write_services(tmp_path, "a")
    seen = {Catalogue(tmp_path).scenario_digest("hello")}

    for file in ("scenarios/hello/load.js", "scenarios/lib/profiles.js", "backing/upstream/x.go"):
        (tmp_path / file).write_text("new")
        seen.add(Catalogue(tmp_path).scenario_digest("hello"))

    assert len(seen) == 4


def test_bases_are_those_of_frameworks_and_of_backing_services_in_use(tmp_path: Path) -> None:
    write_services(tmp_path, "a")
    write_backing_service(tmp_path, "unused", 'bases = ["go"]', 'bases = ["redis"]')

    assert Catalogue(tmp_path).list_bases() == ["go", "node"]


def test_only_reference_services_may_be_in_their_folder(tmp_path: Path) -> None:
    write_services(tmp_path, "a")
    ordinary = write_framework(
        tmp_path, "b", 'licence = "MIT"', 'licence = "MIT"\nmode = "reference"'
    )
    with pytest.raises(ManifestInvalid, match=f"{ordinary}: mode: reference services, and no"):
        _ = Catalogue(tmp_path).frameworks

    (tmp_path / "reference").mkdir()
    ordinary.parent.rename(tmp_path / "reference" / "b")
    assert set(Catalogue(tmp_path).frameworks) == {"a", "b"}
    (tmp_path / "frameworks" / "javascript" / "a").rename(tmp_path / "reference" / "a")
    with pytest.raises(ManifestInvalid, match=r"reference/a/service\.toml: mode"):
        _ = Catalogue(tmp_path).frameworks
