"""The files of a version of a service, as an archive between a command line and a bench host.

A bench host unpacks what others packed, so every part of an archive is checked before it is used.
"""

import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, cast

import psutil

from backend.core.catalog.own.service_file import FILE_NAME
from backend.core.errors import ManifestInvalid, TooLarge
from backend.core.results.guard.document import cut_line
from backend.core.results.guard.sources import MOST_SOURCE_BYTES, refuse_size

_MOST_FILES = 20_000
_MOST_BYTES = 512 * 1024 * 1024
# Headers have at most two blocks of 512 bytes for each file, and sometimes a long name.
_MOST_ARCHIVE_BYTES = _MOST_BYTES + _MOST_FILES * 4096
# Files are copied in smaller parts. Only a header that lies about its size is read at once.
_MOST_READ_BYTES = 1024 * 1024
_MOST_LEVELS = 64


@contextmanager
def open_scratch(data: Path) -> Iterator[Path]:
    """Yield a folder for exported versions, which is removed at the end.

    Folders of commands that were killed are removed, too.

    Args:
        data: the data folder of Tacho.
    """
    top = data / "own"
    top.mkdir(parents=True, exist_ok=True)
    for left in top.iterdir():
        pid = left.name.split("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-", dir=top) as folder:
        yield Path(folder)


def check_size(files: int, size_bytes: int) -> None:
    """Raise TooLarge if a version has too many files, or too large ones."""
    if files > _MOST_FILES or size_bytes > _MOST_BYTES:
        raise TooLarge(
            f"The service has {files:,} files with {size_bytes // 2**20:,} MiB. At most "
            f"{_MOST_FILES:,} files with {_MOST_BYTES // 2**20} MiB are possible. Put {FILE_NAME} "
            "into the folder of the service, or ignore large files with .gitignore."
        )


def pack_source(folder: Path, archive: Path) -> str:
    """Write the files of a version to an archive, and return its SHA-256 (hex).

    The same files always give the same archive.

    Raises:
        TooLarge: the archive is larger than a Tacho takes.
    """
    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or not path.is_dir():
                # Each of several hard links is a file of its own.
                tar.inodes.clear()  # type: ignore[attr-defined]
                tar.add(path, path.relative_to(folder).as_posix(), False, filter=_make_anonymous)
    if archive.stat().st_size > MOST_SOURCE_BYTES:
        raise refuse_size(archive.stat().st_size)
    with archive.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _make_anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    return member


def unpack_source(archive: Path, target: Path) -> None:
    """Unpack an archive that others made into a new folder.

    Raises:
        ManifestInvalid: it is damaged, or a member is not a plain file, a folder or a symbolic link
            below the folder.
        TooLarge: it has too many or too large files.
    """
    target.mkdir(parents=True)
    try:
        with gzip.open(archive) as packed:
            bounded = cast("IO[bytes]", _Bounded(packed))
            with tarfile.open(fileobj=bounded, mode="r:") as tar:
                links = _unpack_members(tar, target)
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise ManifestInvalid(f"The archive of a version is damaged: {cut_line(str(error))}") from (
            error
        )
    # The target of a link may itself be a link, so they are followed when all are there.
    top = target.resolve()
    for link in links:
        if not (target / link).resolve().is_relative_to(top):
            raise _refuse(str(link), "is a link that leads out of the service")


class _Bounded:
    """The content of an archive, which is read forwards only and up to the limit."""

    def __init__(self, packed: gzip.GzipFile) -> None:
        self._packed = packed
        self._at = 0

    def tell(self) -> int:
        """Return the number of bytes before the next one."""
        return self._at

    def read(self, size: int) -> bytes:
        """Return the next bytes. Raises TooLarge if there are too many."""
        if not 0 <= size <= _MOST_READ_BYTES or self._at > _MOST_ARCHIVE_BYTES:
            raise TooLarge("The archive of a version is larger than its files may be.")
        content = self._packed.read(size)
        self._at += len(content)
        return content

    def seek(self, offset: int) -> None:
        """Move forwards. Raises TooLarge if a file in the archive has an impossible size."""
        if not self._at <= offset <= _MOST_ARCHIVE_BYTES:
            raise TooLarge("The archive of a version has a file with an impossible size.")
        self._at = self._packed.seek(offset)


def _unpack_members(tar: tarfile.TarFile, target: Path) -> list[PurePosixPath]:
    """Unpack all members; return the names of symbolic links.

    No member may be below a link or replace another member, so nothing is written through a link.
    """
    folders: set[PurePosixPath] = {PurePosixPath()}
    others: set[PurePosixPath] = set()
    links: list[PurePosixPath] = []
    size_bytes = 0
    for member in tar:
        name = PurePosixPath(member.name)
        if name.is_absolute() or ".." in name.parts or len(name.parts) > _MOST_LEVELS:
            raise _refuse(member.name, "is not a path below the service")
        if not (member.isreg() or member.isdir() or member.issym()) or member.issparse():
            raise _refuse(member.name, "is neither a plain file nor a symbolic link")
        above = set(name.parents)
        if name in others or above & others or (name in folders and not member.isdir()):
            raise _refuse(member.name, "is there twice")
        folders |= above
        if member.isdir():
            folders.add(name)
        else:
            others.add(name)
        size_bytes += member.size
        check_size(len(folders) + len(others), size_bytes)
        tar.extract(member, target, filter="data")
        if member.issym():
            links.append(name)
    return links


def _refuse(name: str, what: str) -> ManifestInvalid:
    return ManifestInvalid(f"{cut_line(name)} {what}. Remove it from the repository.")
