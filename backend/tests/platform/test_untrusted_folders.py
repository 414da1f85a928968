"""Work on folders that untrusted code can write reaches nothing outside of them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.platform.untrusted_folders import (
    MOST_LEVELS,
    FolderTooDeep,
    give_away,
    has_owner,
    measure_bytes,
    open_log,
    own_folder,
    read_file,
    remove_folder,
    write_file,
)

_DEPTH = 1500
_OTHER = 62_000
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes owners")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder with a file that nothing may change."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "settings").write_text("secret" * 1000)
    (folder / "settings").chmod(0o600)
    return folder


@pytest.fixture
def folder(tmp_path: Path, victim: Path) -> Iterator[Path]:
    """A folder with links to the victim, a pipe, and names that surprise."""
    top = tmp_path / "untrusted"
    (top / "inside").mkdir(parents=True)
    (top / "inside" / "file").write_bytes(b"x" * 5000)
    (top / "two\nlines").write_bytes(b"x" * 5000)
    (top / "folder-link").symlink_to(victim)
    (top / "inside" / "file-link").symlink_to(victim / "settings")
    os.mkfifo(top / "pipe")
    yield top
    assert (victim / "settings").read_text() == "secret" * 1000
    assert sorted(victim.iterdir()) == [victim / "settings"]
    assert stat.S_IMODE((victim / "settings").stat().st_mode) == 0o600
    assert (victim / "settings").stat().st_uid == os.geteuid()


def nest(top: Path, depth: int = _DEPTH) -> None:
    """Make folders in folders, deeper than a path can name."""
    place = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(os.open("deepest", os.O_CREAT, dir_fd=place))
    os.close(place)


def test_only_own_files_are_measured(folder: Path) -> None:
    assert measure_bytes(folder) == 10_000


def test_a_missing_folder_has_no_size(tmp_path: Path) -> None:
    assert measure_bytes(tmp_path / "missing") == 0


def test_what_was_never_written_has_no_size(folder: Path) -> None:
    with (folder / "sparse").open("wb") as sparse:
        sparse.truncate(2**40)
    assert measure_bytes(folder) == 10_000


def test_a_link_is_not_measured_as_a_folder(folder: Path) -> None:
    with pytest.raises(NotADirectoryError):
        measure_bytes(folder / "folder-link")


def test_a_folder_of_too_many_levels_is_not_measured(folder: Path) -> None:
    nest(folder, MOST_LEVELS - 1)
    assert measure_bytes(folder) == 10_000
    nest(folder / "inside", MOST_LEVELS)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(FolderTooDeep):
        measure_bytes(folder)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    remove_folder(folder)


def test_a_folder_is_removed_and_what_its_links_lead_to_stays(folder: Path) -> None:
    remove_folder(folder)
    assert not folder.exists()


def test_a_folder_of_any_depth_is_removed(folder: Path) -> None:
    nest(folder)
    nest(folder / "inside")
    remove_folder(folder)
    assert not folder.exists()


def test_closed_folders_are_removed(folder: Path) -> None:
    (folder / "inside" / "closed").mkdir()
    (folder / "inside" / "closed" / "file").touch()
    for path in (folder / "inside" / "closed", folder / "inside", folder):
        path.chmod(0)
    remove_folder(folder)
    assert not folder.exists()


def test_a_link_is_not_removed_as_a_folder(folder: Path) -> None:
    with pytest.raises(NotADirectoryError):
        remove_folder(folder / "folder-link")
    with pytest.raises(FileNotFoundError):
        remove_folder(folder / "missing")


@needs_root
def test_a_folder_is_given_away_without_what_its_links_lead_to(folder: Path) -> None:
    give_away(folder, _OTHER)
    for path in (folder, *folder.rglob("*")):
        assert path.lstat().st_uid == _OTHER
    assert has_owner(folder, _OTHER)
    assert not has_owner(folder, os.geteuid())
    assert not has_owner(folder / "folder-link", _OTHER)
    assert not has_owner(folder / "missing", _OTHER)


@needs_root
def test_a_file_with_a_further_name_is_not_given_away(folder: Path, victim: Path) -> None:
    (folder / "further-name").hardlink_to(victim / "settings")
    with pytest.raises(PermissionError, match="further-name"):
        give_away(folder, _OTHER)


def test_a_written_file_replaces_a_link(folder: Path, victim: Path) -> None:
    (folder / "settings.env").symlink_to(victim / "settings")
    (folder / "settings.env.part").symlink_to(victim / "settings")
    write_file(folder, "settings.env", "new", os.geteuid())
    assert not (folder / "settings.env").is_symlink()
    assert (folder / "settings.env").read_text() == "new"
    assert stat.S_IMODE((folder / "settings.env").stat().st_mode) == 0o600
    with pytest.raises(NotADirectoryError):
        write_file(folder / "folder-link", "settings", "new", os.geteuid())


def test_links_and_pipes_are_not_read(folder: Path) -> None:
    assert read_file(folder, "two\nlines") == "x" * 5000
    for name in ("pipe", "folder-link", "missing"):
        with pytest.raises(FileNotFoundError):
            read_file(folder, name)
    with pytest.raises(FileNotFoundError):
        read_file(folder / "inside", "file-link")


def test_a_log_is_not_opened_through_a_link(folder: Path) -> None:
    with pytest.raises(OSError, match="symbolic links"):
        open_log(folder / "inside", "file-link", os.geteuid())
    log = open_log(folder, "service.log", os.geteuid())
    os.write(log, b"line")
    assert os.pread(log, 10, 0) == b"line"
    os.close(log)


@needs_root
def test_the_owner_of_a_link_is_not_changed(folder: Path, victim: Path) -> None:
    own_folder(folder, _OTHER)
    assert folder.stat().st_uid == _OTHER
    with pytest.raises(NotADirectoryError):
        own_folder(folder / "folder-link", _OTHER)
    assert victim.stat().st_uid == os.geteuid()
