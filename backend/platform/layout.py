"""Where an installation keeps what: the one data folder and what lies in it."""

import errno
import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from backend.platform.errors import PlatformError

# A Unix socket's path must fit into sockaddr_un: 108 bytes on Linux, 104 on macOS.
_LONGEST_SOCKET_PATH = 100


@dataclass(frozen=True)
class Layout:
    """The folders of one installation; `data` is TACHO_DATA."""

    data: Path

    @property
    def lock(self) -> Path:
        """Held by the one `tacho up` of this installation; holds its address."""
        return self.data / "lock"

    @property
    def logs(self) -> Path:
        """One `<part>.log` for each part."""
        return self.data / "logs"

    @property
    def run(self) -> Path:
        """Who is running: one `<part>.json` for each started process."""
        return self.data / "run"

    @property
    def part_states(self) -> Path:
        """What `tacho up` knows about the parts it supervises (`part_states`)."""
        return self.run / "parts.state"

    @property
    def database(self) -> Path:
        """The embedded PostgreSQL's cluster."""
        return self.data / "postgres"

    @property
    def broker(self) -> Path:
        """The embedded Redis's configuration and snapshot."""
        return self.data / "redis"

    def make(self) -> None:
        """Make the folders; other users of the machine see nothing of them.

        Raises:
            PlatformError: a folder cannot be made or written, and what to do.
        """
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            self.data.chmod(0o700)
            for folder in (self.logs, self.run):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise PlatformError(f"TACHO_DATA={self.data} {_explain(error)}") from error

    def socket_folder(self) -> Path:
        """A folder whose sockets' paths are short enough, whatever the length of `data`."""
        folder = self.data / "sockets"
        if len(str(folder)) + len("/.s.PGSQL.5432") <= _LONGEST_SOCKET_PATH:
            return folder
        name = hashlib.sha256(str(self.data).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"tacho-{name}"


def check_services(folder: Path) -> None:
    """Raise PlatformError unless TACHO_SERVICES_DIR is the folder of a catalogue."""
    wanted = "It holds frameworks/ and scenarios/, as services/ of Tacho's repository does."
    if not folder.is_dir():
        missing = "is not a folder" if folder.exists() else "does not exist"
        raise PlatformError(
            f"TACHO_SERVICES_DIR={folder} {missing}. Set it to the folder of a catalogue. {wanted}"
        )
    absent = [name for name in ("frameworks", "scenarios") if not (folder / name).is_dir()]
    if absent:
        raise PlatformError(
            f"TACHO_SERVICES_DIR={folder} has no folder {' and no folder '.join(absent)}. Set it "
            f"to the folder of a catalogue. {wanted}"
        )


def _explain(error: OSError) -> str:
    """What is wrong with the folder, and what to do."""
    match error.errno:
        case errno.EEXIST | errno.ENOTDIR:
            return "is a file, or lies below one. Set TACHO_DATA to a folder."
        case errno.EROFS:
            return "is on a read-only file system. Set TACHO_DATA to a folder that can be written."
        case errno.EACCES | errno.EPERM:
            return (
                "may not be written by this user. Change its owner, or set TACHO_DATA to another "
                "folder."
            )
        case errno.ENOSPC | errno.EDQUOT:
            return (
                "is on a full disk. Free some space, or set TACHO_DATA to a folder on another disk."
            )
        case _:
            return f"cannot be used: {error.strerror}. Set TACHO_DATA to another folder."
