"""Works on folders that untrusted code can write, such as builds, caches and copies of services.

Code that can write a folder can replace any name in it by a symbolic link, also while this process
works on it. A path through the folder then leads anywhere. So these functions open the folder
itself, and reach all that is below it through descriptors of folders, without following links. A
file that they find there may be a pipe or a device, so they do not wait for it.

Only the path of the folder itself is trusted: untrusted code must not be able to write its parent.

`python -m tools.lint.untrusted_folders`, a part of `make lint`, refuses other ways in the modules
that handle such folders.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

# A measurement holds a descriptor for each level. Package managers nest about 30 levels.
MOST_LEVELS = 200
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK_BYTES = 512
_MOST_TEXT_BYTES = 1024**2


class FolderTooDeep(OSError):
    """A folder nests more than 200 levels, which no build needs."""


def has_owner(folder: Path, owner_id: int) -> bool:
    """Return whether `folder` is a folder, and not a link, that belongs to a user."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == owner_id


def measure_bytes(folder: Path) -> int:
    """Return the disk space of all regular files below a folder, which may change meanwhile.

    The part of a file that was never written takes no space. A missing folder has 0 bytes.

    Raises:
        FolderTooDeep: part of the folder cannot be measured.
    """
    try:
        top = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return 0
    try:
        return sum(
            min(status.st_size, status.st_blocks * _BLOCK_BYTES)
            for _, _, status in _visit(top)
            if stat.S_ISREG(status.st_mode)
        )
    finally:
        os.close(top)


def give_away(folder: Path, owner_id: int) -> None:
    """Make a user the owner of a folder and of all that it contains.

    Call it before untrusted code has written the folder: later, a file may also have a name
    elsewhere.

    Raises:
        PermissionError: a file has a further name.
        FolderTooDeep, OSError
    """
    top = os.open(folder, _FOLDER)
    try:
        for parent, name, status in _visit(top):
            if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
                raise PermissionError(f"{name!r} in {folder} is a file with a further name.")
            os.chown(name, owner_id, owner_id, dir_fd=parent, follow_symlinks=False)
        os.fchown(top, owner_id, owner_id)
    finally:
        os.close(top)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that it contains, however deep it is.

    Call it when all untrusted code that can write it has ended. Links are removed, not followed.

    Raises:
        FileNotFoundError: there is no such folder.
        OSError: it is not a folder, or something in it cannot be removed.
    """
    top = _open_for_removal(folder, None)
    try:
        waiting = os.listdir(top)
        while waiting:
            waiting += _remove_entry(top, waiting.pop())
    finally:
        os.close(top)
    os.rmdir(folder)


def own_folder(folder: Path, owner_id: int) -> None:
    """Make a user the owner of a folder, and not of what it contains; raises OSError."""
    top = os.open(folder, _FOLDER)
    try:
        os.fchown(top, owner_id, owner_id)
    finally:
        os.close(top)


def read_file(folder: Path, name: str) -> str:
    """Return the text of a file that another user may have written, at most 1 MiB.

    Raises:
        FileNotFoundError: there is no such file, or a link or a pipe has its name.
        OSError
    """
    top = os.open(folder, _FOLDER)
    try:
        status = os.stat(name, dir_fd=top, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(errno.ENOENT, "It is not a regular file", str(folder / name))
        # It may be replaced at this moment: by a pipe, for which this does not wait.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, dir_fd=top), "rb") as file:
            return file.read(_MOST_TEXT_BYTES).decode("utf-8", errors="replace")
    finally:
        os.close(top)


def write_file(folder: Path, name: str, content: str, owner_id: int, mode: int = 0o600) -> None:
    """Write a file for a user who can also write its folder. Readers see all of it or nothing.

    Raises:
        OSError
    """
    top = os.open(folder, _FOLDER)
    try:
        # Nobody can guess the name, and a name that exists is not used.
        unfinished = f".{name}.{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(unfinished, flags, mode, dir_fd=top), "w", encoding="utf-8") as file:
            file.write(content)
            os.fchmod(file.fileno(), mode)
            os.fchown(file.fileno(), owner_id, owner_id)
        os.rename(unfinished, name, src_dir_fd=top, dst_dir_fd=top)
    finally:
        os.close(top)


def open_log(folder: Path, name: str, owner_id: int) -> int:
    """Create an empty log for a user, and return a descriptor that reads it and appends to it.

    Programs of this user may open the log again by the name of their output, so they must own it.

    Raises:
        OSError
    """
    top = os.open(folder, _FOLDER)
    try:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        log = os.open(name, flags, 0o644, dir_fd=top)
    finally:
        os.close(top)
    try:
        os.fchown(log, owner_id, -1)
    except OSError:
        os.close(log)
        raise
    return log


def _visit(top: int) -> Iterator[tuple[int, str, os.stat_result]]:
    """Yield the descriptor of a folder, a name in it, and its status, for all that is below `top`.

    Raises:
        FolderTooDeep
    """
    levels = [(os.dup(top), iter(os.listdir(top)))]
    try:
        while levels:
            folder, names = levels[-1]
            name = next(names, None)
            if name is None:
                os.close(folder)
                levels.pop()
                continue
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                yield folder, name, status
                if not stat.S_ISDIR(status.st_mode):
                    continue
                if len(levels) == MOST_LEVELS:
                    raise FolderTooDeep(f"A folder nests more than {MOST_LEVELS} levels.")
                _enter(levels, folder, name)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                # It was removed or replaced after it was listed, or it is closed to this user.
                continue
    finally:
        for folder, _ in levels:
            os.close(folder)


def _enter(levels: list[tuple[int, Iterator[str]]], folder: int, name: str) -> None:
    child = os.open(name, _FOLDER, dir_fd=folder)
    try:
        names = os.listdir(child)
    except OSError:
        os.close(child)
        raise
    levels.append((child, iter(names)))


def _remove_entry(top: int, name: str) -> list[str]:
    """Remove an entry of `top`; of a folder, move the folders in it to `top`, and return them.

    So a removal needs two descriptors, however deep a folder is.
    """
    try:
        os.unlink(name, dir_fd=top)
    except IsADirectoryError:
        pass
    else:
        return []
    moved = []
    child = _open_for_removal(name, top)
    try:
        for inner in os.listdir(child):
            try:
                os.unlink(inner, dir_fd=child)
            except IsADirectoryError:
                os.close(_open_for_removal(inner, child))
                new_name = secrets.token_hex(16)
                os.rename(inner, new_name, src_dir_fd=child, dst_dir_fd=top)
                moved.append(new_name)
    finally:
        os.close(child)
    os.rmdir(name, dir_fd=top)
    return moved


def _open_for_removal(name: str | Path, parent: int | None) -> int:
    """Return the descriptor of a folder whose entries can be removed: builds close some of theirs.

    Only its owner or root can remove it.
    """
    # Only Linux has O_PATH, and other systems remove no such folders.
    place = os.open(name, _FOLDER | os.O_PATH, dir_fd=parent)
    try:
        # The descriptor of a place has no mode of its own, and this name leads to the same folder.
        os.chmod(f"/proc/self/fd/{place}", 0o700)
        return os.open(".", _FOLDER, dir_fd=place)
    finally:
        os.close(place)
