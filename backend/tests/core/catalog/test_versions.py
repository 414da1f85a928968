"""Further versions: separate entries that contain only the differences."""

from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.sources import SourceTree
from backend.core.errors import ManifestInvalid
from backend.tests.catalogue import write_framework, write_scenario, write_services

VERSION = """\
name = "Framework a, the old one"

[versions]
framework = "A 1"
"""
PROGRAMS = """\
[scenarios.hello]

[scenarios.gate]
program = "gateway"

[programs.gateway.docker]
bases = ["node"]
"""


def _write_version(root: Path, text: str = VERSION, name: str = "old") -> Path:
    path = root / "frameworks" / "javascript" / "a" / "versions" / name / "version.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_a_version_is_a_separate_entry(tmp_path: Path) -> None:
    write_services(tmp_path, "a", "b")
    overlay = _write_version(tmp_path).parent

    catalogue = Catalogue(tmp_path)

    assert list(catalogue.frameworks) == ["a", "a-old", "b"]
    base, _ = catalogue.frameworks["a"]
    manifest, source = catalogue.frameworks["a-old"]
    folder = tmp_path / "frameworks" / "javascript" / "a"
    assert source == SourceTree(folder, overlay, boundary=tmp_path)
    assert (manifest.version_of, base.version_of) == ("a", None)
    assert manifest.name == "Framework a, the old one"
    assert manifest.versions.framework == "A 1"
    inherited = {"versions", "slug", "name", "version_of"}
    assert manifest.model_dump(exclude=inherited) == base.model_dump(exclude=inherited)
    assert manifest.versions.runtime == base.versions.runtime


def test_a_version_may_change_image_and_scenarios(tmp_path: Path) -> None:
    write_services(tmp_path)
    write_scenario(tmp_path, "gate")
    write_framework(tmp_path, "a", "[scenarios.hello]\n", PROGRAMS)
    image = '[docker]\nbases = ["node"]\nmemory_mb = 64\n'
    _write_version(tmp_path, f'scenarios = ["hello"]\n{VERSION}{image}')

    manifest, _ = Catalogue(tmp_path).get_framework("a-old")

    assert manifest.docker.memory_mb == 64
    assert list(manifest.scenarios) == ["hello"]
    assert manifest.programs == {}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('framework = "A 1"', "", "versions.framework: is required; add it"),
        ("[versions]", 'slug = "a-1"\n[versions]', "slug: is not a known field; remove it"),
        (
            "[versions]",
            'scenarios = ["helo"]\n[versions]',
            "scenarios: helo: the framework's service.toml has no such table; it has hello.",
        ),
    ],
)
def test_an_invalid_version_is_reported(tmp_path: Path, old: str, new: str, expected: str) -> None:
    write_services(tmp_path, "a")
    path = _write_version(tmp_path, VERSION.replace(old, new))

    with pytest.raises(ManifestInvalid) as caught:
        _ = Catalogue(tmp_path).frameworks

    assert caught.value.detail.startswith(f"{path}: {expected}")


def test_a_version_needs_a_manifest_a_valid_name_and_a_free_slug(tmp_path: Path) -> None:
    write_services(tmp_path, "a", "a-old")
    path = _write_version(tmp_path)

    with pytest.raises(ManifestInvalid, match="slug: 'a-old' is taken by"):
        _ = Catalogue(tmp_path).frameworks
    wrong = path.parent.rename(path.parent.with_name("3.5"))
    with pytest.raises(ManifestInvalid, match=r"3\.5/version\.toml: slug: must match the pattern"):
        _ = Catalogue(tmp_path).frameworks
    (wrong / "version.toml").unlink()
    with pytest.raises(ManifestInvalid, match=r"3\.5/version\.toml: the manifest is missing"):
        _ = Catalogue(tmp_path).frameworks
