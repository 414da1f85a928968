"""The sources of a service and their digests."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.core.catalog.sources import SourceTree, digest_sources
from backend.core.errors import ManifestInvalid


def _edit(folder: Path) -> None:
    (folder / "server.js").write_text("changed")


def _rename(folder: Path) -> None:
    (folder / "server.js").rename(folder / "index.js")


def _move(folder: Path) -> None:
    (folder / "lib").mkdir()
    (folder / "server.js").rename(folder / "lib" / "server.js")


def _add(folder: Path) -> None:
    (folder / "empty").touch()


def _make_executable(folder: Path) -> None:
    (folder / "server.js").chmod(0o755)


@pytest.mark.parametrize("change", [_edit, _rename, _move, _add, _make_executable])
def test_every_change_alters_the_digest(tmp_path: Path, change: Callable[[Path], None]) -> None:
    (tmp_path / "server.js").write_text("first")
    (tmp_path / "server.js").chmod(0o644)
    before = digest_sources([SourceTree(tmp_path)])

    change(tmp_path)

    assert digest_sources([SourceTree(tmp_path)]) != before


def test_build_output_and_file_times_do_not_alter_the_digest(tmp_path: Path) -> None:
    source = tmp_path / "server.js"
    source.write_text("first")
    before = digest_sources([SourceTree(tmp_path)])

    for made in ("node_modules/pkg/index.js", "target/service.jar", "__pycache__/a.pyc"):
        (tmp_path / made).parent.mkdir(parents=True)
        (tmp_path / made).write_text("made")
    source.write_text("first")

    assert digest_sources([SourceTree(tmp_path)]) == before
    assert len(before) == 64


@pytest.fixture
def framework(tmp_path: Path) -> Path:
    """Write a folder with an additional program, and a version in which two files differ."""
    folder = tmp_path / "framework"
    contents = {
        "server.js": "main",
        "lock": "2.0",
        "gateway/lock": "2.0",
        "versions/old/lock": "1.0",
        "versions/old/gateway/lock": "1.0",
    }
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "server.js").chmod(0o755)
    return folder


def _read(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_a_version_is_the_folder_overlaid_with_its_own_files(
    framework: Path, tmp_path: Path
) -> None:
    old = SourceTree(framework, framework / "versions" / "old")
    old.copy_to(tmp_path / "old")
    old.part("gateway").copy_to(tmp_path / "gateway")
    SourceTree(framework).copy_to(tmp_path / "main")

    shared = {"server.js": "main"}
    assert _read(tmp_path / "old") == shared | {"lock": "1.0", "gateway/lock": "1.0"}
    assert _read(tmp_path / "gateway") == {"lock": "1.0"}
    assert _read(tmp_path / "main") == shared | {"lock": "2.0", "gateway/lock": "2.0"}
    assert (tmp_path / "old" / "server.js").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("changed", "alters_main", "alters_old"),
    [
        ("server.js", True, True),
        ("lock", True, False),
        ("versions/old/lock", False, True),
        ("versions/older/lock", False, False),
    ],
)
def test_a_change_alters_only_the_digests_of_affected_services(
    framework: Path, changed: str, alters_main: bool, alters_old: bool
) -> None:
    def digests() -> tuple[str, str]:
        old = SourceTree(framework, framework / "versions" / "old")
        return digest_sources([SourceTree(framework)]), digest_sources([old])

    before = digests()
    (framework / changed).parent.mkdir(exist_ok=True)
    (framework / changed).write_text("changed")
    after = digests()

    assert (before[0] != after[0], before[1] != after[1]) == (alters_main, alters_old)


@pytest.mark.parametrize("target", ["../secret", "../folder", "/etc/passwd"])
def test_links_out_of_the_folder_are_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "folder").mkdir()
    own = tmp_path / "service"
    own.mkdir()
    (own / "stolen").symlink_to(target)
    with pytest.raises(ManifestInvalid, match="stolen is a symbolic link that leads out"):
        SourceTree(own).copy_to(tmp_path / "copy")


def test_files_that_never_end_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless")
    with pytest.raises(ManifestInvalid, match="endless is not a regular file"):
        digest_sources([SourceTree(tmp_path)])


def test_links_inside_the_folder_are_copied_as_files(tmp_path: Path) -> None:
    own, copy = tmp_path / "service", tmp_path / "copy"
    own.mkdir()
    (own / "server.js").write_text("server")
    (own / "index.js").symlink_to("server.js")
    SourceTree(own).copy_to(copy)
    assert (copy / "index.js").read_text() == "server"
    assert not (copy / "index.js").is_symlink()
