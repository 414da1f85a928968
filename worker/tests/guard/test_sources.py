"""Archives of versions: packed alike, and unpacked only if every member is harmless."""

import gzip
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.core.errors import ManifestInvalid, TooLarge
from backend.core.results.guard import sources as limits
from worker.guard import sources
from worker.guard.sources import pack_source, unpack_source


def write_archive(path: Path, *members: tarfile.TarInfo, content: bytes = b"x") -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member in members:
            member.size = member.size or (len(content) if member.isreg() else 0)
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.mode = kind, target, 0o4777
    return found


def link(name: str, target: str) -> tarfile.TarInfo:
    return member(name, tarfile.SYMTYPE, target)


def make_service(folder: Path) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "run.sh").write_text("exec true\n")
    (folder / "run.sh").chmod(0o775)
    (folder / "sub" / "data.txt").write_text("data")
    (folder / "link").symlink_to("sub/data.txt")
    os.link(folder / "run.sh", folder / "sub" / "same.sh")
    return folder


def test_a_version_arrives_as_it_was_sent(tmp_path: Path) -> None:
    service = make_service(tmp_path / "service")
    digest = pack_source(service, tmp_path / "a.tar.gz")
    unpack_source(tmp_path / "a.tar.gz", tmp_path / "out")

    assert (tmp_path / "out" / "link").readlink() == Path("sub/data.txt")
    assert (tmp_path / "out" / "link").read_text() == "data"
    assert (tmp_path / "out" / "sub" / "same.sh").read_text() == "exec true\n"
    assert (tmp_path / "out" / "run.sh").stat().st_mode & 0o7777 == 0o755
    again = make_service(tmp_path / "other")
    os.utime(again / "run.sh", (1, 1))
    assert pack_source(again, tmp_path / "b.tar.gz") == digest


def test_a_version_that_is_too_large_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_SOURCE_BYTES", 100)
    assert limits.MOST_SOURCE_BYTES > 100
    with pytest.raises(TooLarge, match="A Tacho takes at most"):
        pack_source(make_service(tmp_path / "service"), tmp_path / "a.tar.gz")


HOSTILE = {
    "above": [member("../outside")],
    "above in the middle": [member("a/../../outside")],
    "absolute": [member("/tmp/outside")],
    "device": [member("null", tarfile.CHRTYPE)],
    "pipe": [member("pipe", tarfile.FIFOTYPE)],
    "hard link": [member("a"), member("b", tarfile.LNKTYPE, "a")],
    "hard link to the outside": [member("b", tarfile.LNKTYPE, "../../outside")],
    "link above": [link("up", "../outside")],
    "absolute link": [link("up", "/etc/passwd")],
    "file through a link": [link("here", "."), member("here/file")],
    "file over a link": [link("here", "file"), member("here")],
    "link over a file": [member("here"), link("here", "file")],
    "folder over a link": [link("here", "."), member("here", tarfile.DIRTYPE)],
    "file below a file": [member("here"), member("here/file")],
    "file over a folder": [member("here/file"), member("here")],
    "links that leave only together": [
        link("late", "a/b/up/.."),
        member("a/b/file"),
        link("a/b/up", "../.."),
    ],
    "deep": [member("/".join(["a"] * 100))],
}


@pytest.mark.parametrize("members", HOSTILE.values(), ids=HOSTILE)
def test_nothing_leaves_the_folder(tmp_path: Path, members: list[tarfile.TarInfo]) -> None:
    place = tmp_path / "place"
    place.mkdir()
    archive = write_archive(tmp_path / "a.tar.gz", *members)
    with pytest.raises(ManifestInvalid):
        unpack_source(archive, place / "out")
    assert [path.name for path in place.iterdir()] == ["out"]
    assert not (tmp_path / "outside").exists()


def write_bomb(path: Path, header: tarfile.TarInfo, size_bytes: int) -> Path:
    """Write an archive of zeros, which is small, with a header that claims their size."""
    header.size = size_bytes
    with gzip.open(path, "wb") as packed:
        packed.write(header.tobuf(tarfile.GNU_FORMAT))
        packed.write(bytes(4 * 2**20))
    return path


BOMBS: dict[str, Callable[[Path], Path]] = {
    "many bytes": lambda path: write_bomb(path, member("zeros"), 2**30),
    "a name of many bytes": lambda path: write_bomb(
        path, member("n", tarfile.GNUTYPE_LONGNAME), 2**30
    ),
    "fields of many bytes": lambda path: write_bomb(path, member("n", tarfile.XHDTYPE), 2**30),
    "many files": lambda path: write_archive(
        path, *(member(f"file-{number}") for number in range(20_001)), content=b""
    ),
    "many folders": lambda path: write_archive(
        path, *(member("/".join([str(number), *"abcdefghij", "x"])) for number in range(2_000))
    ),
}


@pytest.mark.parametrize("write", BOMBS.values(), ids=BOMBS)
def test_an_archive_cannot_fill_the_disk_or_the_memory(
    tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    archive = write(tmp_path / "a.tar.gz")
    assert archive.stat().st_size < 2**20
    with pytest.raises(TooLarge):
        unpack_source(archive, tmp_path / "out")


@pytest.mark.parametrize(
    "content", [b"", b"text", gzip.compress(b"text" * 500)[:-9]], ids=["empty", "text", "cut off"]
)
def test_a_damaged_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tar.gz").write_bytes(content)
    with pytest.raises(ManifestInvalid, match="damaged"):
        unpack_source(tmp_path / "a.tar.gz", tmp_path / "out")
