"""Versions of a service: commits, the working tree, folders without Git, and changes."""

import subprocess
from pathlib import Path

import pytest

from backend.core.errors import ManifestInvalid, NotFound, TachoError, TooLarge
from backend.core.results.guard.document import ServiceVersion
from cli.repository import WORKING_TREE, Repository, apply_change
from worker.guard import sources

TREE = ServiceVersion(name=WORKING_TREE)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository whose service lies in a folder."""
    service = tmp_path / "repository" / "shop"
    service.mkdir(parents=True)
    (service / "tacho.toml").write_text("")
    (service / "server.py").write_text("first")
    (service / "build").mkdir()
    (service / "build" / "tracked.txt").write_text("counts")
    (service.parent / ".gitignore").write_text("*.log\n")
    git(service.parent, "init", "-q", "-b", "main")
    git(service.parent, "add", "-A")
    git(service.parent, "commit", "-q", "-m", "Begin: it's a start")
    return service.parent


def export(top: Path, version: ServiceVersion, tmp_path: Path) -> dict[str, str]:
    target = tmp_path / "exported" / "service"
    Repository.find(top / "shop").export(version, target)
    files = (path for path in target.rglob("*") if path.is_file())
    return {str(path.relative_to(target)): path.read_text() for path in files}


def test_a_commit_has_the_files_below_its_tacho_toml(top: Path, tmp_path: Path) -> None:
    (top / "shop" / "server.py").write_text("second")
    version = Repository.find(top / "shop").find_version("main")

    assert version.title == "Begin: it's a start"
    assert export(top, version, tmp_path) == {
        "tacho.toml": "",
        "server.py": "first",
        "build/tracked.txt": "counts",
    }


def test_the_working_tree_has_new_and_changed_files_but_none_that_are_ignored(
    top: Path, tmp_path: Path
) -> None:
    service = top / "shop"
    (service / "server.py").write_text("second")
    (service / "new.py").write_text("new")
    (service / "debug.log").write_text("ignored")
    (service / "build" / "tracked.txt").unlink()

    assert export(top, TREE, tmp_path) == {
        "tacho.toml": "",
        "server.py": "second",
        "new.py": "new",
    }


def test_a_folder_without_git_leaves_out_what_builds_create(tmp_path: Path) -> None:
    service = tmp_path / "plain" / "shop"
    (service / "node_modules").mkdir(parents=True)
    (service / "node_modules" / "large.js").write_text("x")
    (service / "tacho.toml").write_text("")

    assert export(tmp_path / "plain", TREE, tmp_path) == {"tacho.toml": ""}
    with pytest.raises(NotFound, match="not in a Git repository"):
        Repository.find(service).find_version("main")


def test_the_nearest_tacho_toml_above_is_found(top: Path) -> None:
    assert Repository.find(top / "shop" / "build").folder == (top / "shop").resolve()
    with pytest.raises(NotFound, match="tacho init"):
        Repository.find(top.parent)


@pytest.mark.parametrize("name", ["none", "--output=/tmp/x", "main:shop", ""])
def test_a_version_without_a_commit_is_refused(top: Path, name: str) -> None:
    with pytest.raises(NotFound, match="There is no commit"):
        Repository.find(top / "shop").find_version(name)


def test_links_that_lead_out_are_not_followed(top: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (top / "shop" / "link.txt").symlink_to(secret)
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "Add a link")
    version = Repository.find(top / "shop").find_version("HEAD")

    with pytest.raises(TachoError, match="link"):
        export(top, version, tmp_path / "commit")
    target = tmp_path / "tree" / "service"
    Repository.find(top / "shop").export(TREE, target)
    assert (target / "link.txt").is_symlink()  # a build refuses it


def test_too_many_files_are_refused(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_MOST_FILES", 2)

    with pytest.raises(TooLarge, match="At most 2 files"):
        export(top, Repository.find(top / "shop").find_version("main"), tmp_path)


def test_commits_between_two_versions_are_listed_from_the_oldest(top: Path) -> None:
    for title in ("One", "Two"):
        git(top, "commit", "-q", "--allow-empty", "-m", title)
    repository = Repository.find(top / "shop")

    found = repository.list_commits(
        repository.find_version("HEAD~2"), repository.find_version("HEAD")
    )

    assert [version.title for version in found] == ["One", "Two"]


def test_a_change_keeps_its_edits_and_not_what_its_tools_leave(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()

    apply_change("echo 5 > version; mkdir -p node_modules/x build/y", tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["build", "version"]


def test_a_change_that_fails_shows_its_output(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="exit code 3:\nno such package"):
        apply_change("echo no such package; exit 3", tmp_path)
