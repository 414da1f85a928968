"""The folder of a new framework is a working copy under its own name."""

import shutil
from pathlib import Path

import pytest

from backend.core.catalog.folders import Catalogue
from backend.core.config import ROOT
from backend.core.errors import NotFound, TachoError
from worker.verify.scaffold import scaffold


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the catalogue, to which tests add frameworks."""
    ignore = shutil.ignore_patterns("node_modules", "target", ".venv", "dist")
    folder = tmp_path_factory.mktemp("catalogue") / "services"
    return Path(shutil.copytree(ROOT / "services", folder, symlinks=True, ignore=ignore))


def test_the_copy_is_a_framework_of_its_own(services: Path) -> None:
    folder = scaffold(services, "koa", "nest")

    manifest, found = Catalogue(services).get_framework("koa")
    assert found.folder == folder == services / "frameworks/javascript/koa"
    assert manifest.name == "koa"
    assert set(manifest.scenarios) == {"hello", "slow-upstream"}
    assert not manifest.programs
    assert (folder / "Dockerfile").exists()
    assert not (folder / "microservices").exists()


def test_shared_files_of_the_model_stay_shared(services: Path) -> None:
    folder = scaffold(services, "http4k", "ktor-cio")

    shared = services / "frameworks/shared/jvm/Dockerfile"
    assert (folder / "Dockerfile").is_symlink()
    assert (folder / "Dockerfile").resolve() == shared.resolve()
    assert not (folder / "service.toml").is_symlink()


def test_a_new_language_gets_its_own_folder(services: Path) -> None:
    folder = scaffold(services, "sinatra-2", "node", "Ruby")

    manifest, found = Catalogue(services).frameworks["sinatra-2"]
    assert found.folder == folder == services / "frameworks/ruby/sinatra-2"
    assert manifest.language == "Ruby"
    with pytest.raises(TachoError, match="no folder name"):
        scaffold(services, "other", "node", "../x")


def test_an_invalid_or_used_slug_is_refused(services: Path) -> None:
    with pytest.raises(TachoError, match="not a slug"):
        scaffold(services, "Koa 3", "node")
    with pytest.raises(TachoError, match="used by"):
        scaffold(services, "express", "node")
    with pytest.raises(NotFound, match="there-is-none"):
        scaffold(services, "new", "there-is-none")
