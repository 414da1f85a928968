"""The conditions for a build of the frontend, with a real npm on a package of one file."""

import json
from pathlib import Path

import pytest

from backend.platform.errors import PlatformError
from backend.platform.frontend_build import ensure_frontend, install_modules, sources_digest


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "frontend"
    folder.mkdir()
    build = "mkdir -p dist && cp index.html dist/"
    about = {"name": "page", "version": "1.0.0", "scripts": {"build": build}}
    lock = {"name": "page", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": about}}
    (folder / "package.json").write_text(json.dumps(about))
    (folder / "package-lock.json").write_text(json.dumps(lock))
    (folder / "index.html").write_text("first")
    return folder


def test_builds_once_and_again_when_a_source_changes(package: Path, tmp_path: Path) -> None:
    # A fresh clone has neither modules nor a folder of logs.
    log, stages = tmp_path / "data" / "logs" / "frontend.log", list[str]()
    assert ensure_frontend(package, log, stages.append)
    assert stages == ["npm ci", "vite build"]
    assert "index.html" in log.read_text()
    assert not ensure_frontend(package, log, stages.append)
    (package / "index.html").write_text("second")
    assert ensure_frontend(package, log, stages.append)
    assert stages == ["npm ci", "vite build", "vite build"]
    assert (package / "dist" / "index.html").read_text() == "second"


def test_only_developers_install_the_packages_for_development(
    package: Path, tmp_path: Path
) -> None:
    for name, field in (("built-with", "dependencies"), ("tested-with", "devDependencies")):
        _add_package(package, name, field)
    modules, log, stages = package / "node_modules", tmp_path / "log", list[str]()

    assert ensure_frontend(package, log, stages.append)
    assert (modules / "built-with").exists()
    assert not (modules / "tested-with").exists()
    stamp = modules / ".tacho-installed"
    install_modules(package, log, stamp, stages.append)
    assert (modules / "tested-with").exists()
    install_modules(package, log, stamp, stages.append, for_development=False)
    assert (modules / "tested-with").exists()
    assert stages == ["npm ci", "vite build", "npm ci"]


def _add_package(package: Path, name: str, field: str) -> None:
    """Add a package, which is a folder, to the fields of the lock file."""
    folder = package / name
    folder.mkdir()
    about = {"name": name, "version": "1.0.0"}
    (folder / "package.json").write_text(json.dumps(about))
    own = json.loads((package / "package.json").read_text())
    own[field] = {name: f"file:{name}"}
    (package / "package.json").write_text(json.dumps(own))
    lock = json.loads((package / "package-lock.json").read_text())
    lock["packages"][""] = own
    development = {"dev": True} if field == "devDependencies" else {}
    lock["packages"][name] = {"version": "1.0.0", **development}
    link = {"resolved": name, "link": True, **development}
    lock["packages"][f"node_modules/{name}"] = link
    (package / "package-lock.json").write_text(json.dumps(lock))


def test_a_failed_build_shows_its_last_lines(package: Path, tmp_path: Path) -> None:
    (package / "index.html").unlink()
    with pytest.raises(PlatformError, match=r"(?s)npm run build.*index\.html"):
        ensure_frontend(package, tmp_path / "log", list[str]().append)


def test_digest_ignores_what_builds_make(package: Path) -> None:
    before = sources_digest(package)
    (package / "dist").mkdir()
    (package / "dist" / "index.html").write_text("built")
    (package / "node_modules" / "left-pad").mkdir(parents=True)
    assert sources_digest(package) == before
    (package / "index.html").write_text("changed")
    changed = sources_digest(package)
    assert changed != before
    # The interface shows the documentation.
    (package.parent / "docs").mkdir()
    (package.parent / "docs" / "glossary.md").write_text("# Glossary")
    assert sources_digest(package) not in (before, changed)
