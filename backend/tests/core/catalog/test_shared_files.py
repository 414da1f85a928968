"""Files that several services use exist once; the others are symbolic links to it."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT

SERVICES = ROOT / "services"
SCENARIOS = SERVICES / "scenarios"


def test_every_data_file_is_json() -> None:
    paths = sorted(SCENARIOS.glob("*/data/*.json"))
    assert paths
    for path in paths:
        assert json.loads(path.read_text()), path


def test_no_script_is_only_the_path_of_another() -> None:
    texts = {path: path.read_text() for path in SCENARIOS.glob("*/*.js")}
    assert texts
    assert [path for path, text in texts.items() if text.startswith("../")] == []


def test_no_file_of_a_service_is_a_copy_of_another() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "services/frameworks", "services/backing"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    first: dict[str, Path] = {}
    copies: list[tuple[Path, Path]] = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_symlink() or not path.is_file() or not path.stat().st_size:
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest in first:
            copies.append((first[digest], path))
        first.setdefault(digest, path)

    assert len(first) > 100
    assert copies == []


@pytest.mark.parametrize(
    ("slug", "name", "shared"),
    [
        ("ktor-cio", "Dockerfile", "frameworks/shared/jvm/Dockerfile"),
        ("redis", "server.go", "backing/shared/server.go"),
    ],
)
def test_a_shared_file_is_a_file_of_each_service(
    tmp_path: Path, slug: str, name: str, shared: str
) -> None:
    catalogue = Catalogue(SERVICES)
    services = catalogue.backing_services if slug == "redis" else catalogue.frameworks
    _, source = services[slug]

    source.copy_to(tmp_path / "copy")

    copied = tmp_path / "copy" / name
    assert not copied.is_symlink()
    assert copied.read_text() == (SERVICES / shared).read_text()
