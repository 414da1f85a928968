"""The layout of the data folder of an installation."""

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
        """The lock file of `tacho up`, which contains its address."""
        return self.data / "lock"

    @property
    def logs(self) -> Path:
        """The folder with one `<part>.log` for each part."""
        return self.data / "logs"

    @property
    def run(self) -> Path:
        """The folder with one `<part>.json` for each running process."""
        return self.data / "run"

    @property
    def part_states(self) -> Path:
        """The file with the states of the supervised parts (`part_states`)."""
        return self.run / "parts.state"

    @property
    def load_generator_build(self) -> Path:
        """The file with the progress of the load generator's build (`load_generator`)."""
        return self.run / "load-generator.build"

    @property
    def database(self) -> Path:
        """The folder of the embedded PostgreSQL cluster."""
        return self.data / "postgres"

    @property
    def backups(self) -> Path:
        """The folder with backups that were made before upgrades."""
        return self.data / "backups"

    @property
    def broker(self) -> Path:
        """The folder with the configuration and the snapshot of the embedded Redis."""
        return self.data / "redis"

    @property
    def bench_host(self) -> Path:
        """The folder with the credentials of this machine's worker."""
        return self.data / "bench-host"

    @property
    def part_settings(self) -> Path:
        """The folder with the users of the parts on servers of the operator (`tacho roles`)."""
        return self.data / "parts"

    def make(self) -> None:
        """Create the folders. Other users of the machine cannot read them.

        Raises:
            PlatformError: a folder cannot be created or written; the detail contains the fix.
        """
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            self.data.chmod(0o700)
            for folder in (self.logs, self.run):
                folder.mkdir(exist_ok=True)
        except OSError as error:
            raise PlatformError(f"TACHO_DATA={self.data} {_explain(error)}") from error

    def socket_folder(self) -> Path:
        """Return a folder for sockets whose path is short enough, however long `data` is."""
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
    """Return what is wrong with the folder, and what to do."""
    match error.errno:
        case errno.EEXIST | errno.ENOTDIR:
            return "is a file, or is inside a file. Set TACHO_DATA to a folder."
        case errno.EROFS:
            return "is on a read-only file system. Set TACHO_DATA to a folder that can be written."
        case errno.EACCES | errno.EPERM:
            return (
                "is not writable for this user. Change its owner, or set TACHO_DATA to another "
                "folder."
            )
        case errno.ENOSPC | errno.EDQUOT:
            return (
                "is on a full disk. Free some space, or set TACHO_DATA to a folder on another disk."
            )
        case _:
            return f"cannot be used: {error.strerror}. Set TACHO_DATA to another folder."
