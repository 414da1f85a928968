"""Runs programs as an unprivileged user with a view of their own, made by bubblewrap.

A program has its own mount, PID, IPC, UTS and control group namespaces. Services of a trial share a
network namespace that has nothing but a loopback device (`network.py`).

A filter refuses system calls that no service needs, such as those that make namespaces
(`syscall_filter.py`).

If Tacho runs as root, bubblewrap makes the namespaces as root, and setpriv then changes to a user
without any rights. Otherwise bubblewrap makes a user namespace too, and the program keeps the user
of Tacho inside it, without capabilities.
"""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backend.platform.untrusted_folders import give_away
from worker.runtime.process.syscall_filter import compile_filter, find_machine

# Of systemd's range for users that exist only while a program runs, so that no account has it.
SERVICE_UID = 62_000
# The load generator has another user, whose processes services cannot use up.
LOAD_UID = 62_001
HOSTNAME = "tacho"
INSTALL_SANDBOX = (
    "Install bubblewrap (Debian: apt-get install bubblewrap) and allow Tacho to make namespaces"
)
_SHM_BYTES = 64 * 1024**2
_PROBE_S = 20
# It has a PID namespace of its own, and the filter applies.
_PROBE = "test $$ -lt 100 && grep -q '^Seccomp:.*2$' /proc/self/status"
# The parts of /etc that programs and toolchains read. None of them holds secrets.
_ETC = (
    *(
        "alternatives",
        "ca-certificates",
        "ca-certificates.conf",
        "crypto-policies",
        "debian_version",
    ),
    *("java", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "maven", "mime.types"),
    *("nsswitch.conf", "os-release", "pki", "protocols", "services", "ssl", "timezone"),
)
_ETC_PATTERNS = ("java-*",)
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# The program is the first process of its PID namespace, as in a container, so the kernel ends all
# others with it.
_NAMESPACES = (
    "--unshare-pid",
    "--as-pid-1",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
_RESOLVER = "resolv.conf"
_FILTER = "syscalls.bpf"
# bubblewrap reads the filter from a descriptor, which this shell opens.
_WITH_FILTER = ("/bin/sh", "-c", 'exec "$@" 9<"$0"')
# The name server that slirp4netns offers.
NAME_SERVER = "10.0.2.3"
_FILES = {
    "hosts": f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost\n",
    _RESOLVER: f"nameserver {NAME_SERVER}\n",
}
# Some programs, such as PostgreSQL, refuse a user without a name.
_USERS = {
    "passwd": "root:x:0:0::/:/bin/sh\nservice:x:{uid}:{gid}::/tmp:/bin/sh\n",
    "group": "root:x:0:\nservice:x:{gid}:\n",
}


@dataclass(frozen=True)
class View:
    """The files of a program, in addition to those of the system.

    Attributes:
        folder: its working directory.
        read_only: files and folders that it can read.
        writable: folders that it can also write.
        copies: folders that it can write, and the paths at which it sees them.
        temporary_bytes: size of its private /tmp.
        resolver: file with name servers, in builds.
        uid: user of the program if Tacho runs as root.
    """

    folder: Path
    temporary_bytes: int
    read_only: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    copies: tuple[tuple[Path, Path], ...] = ()
    resolver: Path | None = None
    uid: int = SERVICE_UID


class Network(StrEnum):
    """A network that is not that of a pod: one without any connection, or that of this machine."""

    OWN = "own"
    HOST = "host"


@dataclass(frozen=True)
class Sandbox:
    """The programs that make namespaces, and the folder with files for /etc."""

    bwrap: str
    setpriv: str
    nsenter: str
    etc: Path
    is_root: bool

    @property
    def resolver(self) -> Path:
        """Return the file that names the name server of slirp4netns."""
        return self.etc / _RESOLVER

    @property
    def uid(self) -> int:
        """Return the user that programs have on this machine."""
        return SERVICE_UID if self.is_root else os.geteuid()

    def wrap(
        self, command: Sequence[str], view: View, network: "NetworkNamespace | Network"
    ) -> list[str]:
        """Return the command that runs `command` with this view and network."""
        enter = self.enter(network) if isinstance(network, NetworkNamespace) else []
        own = ["--unshare-net"] if network is Network.OWN else []
        user = [] if self.is_root else ["--unshare-user"]
        return [
            *enter,
            *(*_WITH_FILTER, str(self.etc / _FILTER), self.bwrap, "--seccomp", "9"),
            *(*user, *_NAMESPACES, *own, "--hostname", HOSTNAME),
            *self._mounts(view),
            *("--chdir", str(view.folder), "--"),
            *self._drop_rights(view.uid),
            *command,
        ]

    def enter(self, network: "NetworkNamespace") -> list[str]:
        """Return the beginning of a command that runs in this network."""
        user = [] if self.is_root else ["--user", "--preserve-credentials"]
        return [self.nsenter, "--target", str(network.pid), "--net", *user, "--"]

    def hold(self, command: Sequence[str]) -> list[str]:
        """Return the command that runs a trusted command in a network namespace of its own.

        It has the right to change this network.
        """
        user = [] if self.is_root else ["--unshare-user", "--cap-add", "CAP_NET_ADMIN"]
        spaces = [*user, "--unshare-net", "--unshare-pid"]
        return [self.bwrap, *spaces, "--dev-bind", "/", "/", "--proc", "/proc", "--", *command]

    def own(self, folder: Path) -> None:
        """Make the program's user the owner of a new folder and of all that it contains."""
        if self.is_root:
            give_away(folder, SERVICE_UID)

    def _drop_rights(self, uid: int) -> list[str]:
        if not self.is_root:
            return []
        return [
            *(self.setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"),
        ]

    # trusted paths: folders of the system
    def _mounts(self, view: View) -> list[str]:
        words: list[str] = []
        made: set[Path] = set()
        for path in map(Path, _SYSTEM):
            if path.is_symlink():
                words += ["--symlink", str(path.readlink()), str(path)]
            elif path.exists():
                words += ["--ro-bind", str(path), str(path)]
        words += ["--proc", "/proc", "--dev", "/dev"]
        words += _mount_temporary("/dev/shm", _SHM_BYTES)  # noqa: S108
        words += _mount_temporary("/tmp", view.temporary_bytes)  # noqa: S108
        for path in _list_etc():
            words += [*_make_parents(path, made), "--ro-bind", str(path), str(path)]
        for name in (*_FILES, *_USERS):
            if name != _RESOLVER:
                words += ["--ro-bind", str(self.etc / name), f"/etc/{name}"]
        if view.resolver is not None:
            words += ["--ro-bind", str(view.resolver), f"/etc/{_RESOLVER}"]
        for path in _outermost(view.read_only):
            words += [*_make_parents(path, made), "--ro-bind", str(path), str(path)]
        for source, path in (*((path, path) for path in view.writable), *view.copies):
            words += [*_make_parents(path, made), "--bind", str(source), str(path)]
        return words


@dataclass(frozen=True)
class NetworkNamespace:
    """A network namespace. The process `pid` is in it."""

    pid: int


# trusted paths: only Tacho can write the folder
def find_sandbox(folder: Path) -> tuple[Sandbox | None, str]:
    """Return the sandbox of this machine, or None and the reason as a sentence with the fix.

    Args:
        folder: where files for the sandbox are stored.
    """
    programs = {name: shutil.which(name) for name in ("bwrap", "setpriv", "nsenter")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        return None, (
            f"This machine has no program {' and no '.join(missing)}. Install bubblewrap and "
            "util-linux (Debian: apt-get install bubblewrap)."
        )
    machine = find_machine()
    if machine is None:
        return None, f"Tacho has no filter of system calls for {platform.machine()}. Use Docker."
    folder.mkdir(parents=True, exist_ok=True)
    is_root = os.geteuid() == 0
    uid, gid = (SERVICE_UID, SERVICE_UID) if is_root else (os.geteuid(), os.getegid())
    users = {name: text.format(uid=uid, gid=gid) for name, text in _USERS.items()}
    files = {name: text.encode() for name, text in {**_FILES, **users}.items()}
    for name, content in {**files, _FILTER: compile_filter(machine)}.items():
        path = folder / name
        # Another process may be using them.
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        path.chmod(0o644)
    sandbox = Sandbox(
        str(programs["bwrap"]),
        str(programs["setpriv"]),
        str(programs["nsenter"]),
        folder,
        is_root,
    )
    fault = _probe(sandbox)
    if fault:
        return None, (
            f"The kernel refuses namespaces or filters of system calls to Tacho ({fault}). Allow "
            "user namespaces, or do not run Tacho in a container that forbids them."
        )
    return sandbox, ""


def _probe(sandbox: Sandbox) -> str:
    """Return why a program does not start in the sandbox; empty if it does."""
    view = View(Path("/"), temporary_bytes=1024**2)
    try:
        done = subprocess.run(
            sandbox.wrap(["/bin/sh", "-c", _PROBE], view, Network.OWN),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no reason given"


def _mount_temporary(path: str, size_bytes: int) -> list[str]:
    return ["--perms", "1777", "--size", str(size_bytes), "--tmpfs", path]


def _make_parents(path: Path, made: set[Path]) -> list[str]:
    """Return words that make the parents of a mount; bubblewrap's own are closed to others."""
    words = []
    for parent in reversed(path.parents):
        if parent != Path("/") and parent not in made:
            made.add(parent)
            words += ["--perms", "0755", "--dir", str(parent)]
    return words


# trusted paths: folders of the system
def _list_etc() -> list[Path]:
    etc = Path("/etc")
    found = [etc / name for name in _ETC]
    found += [path for pattern in _ETC_PATTERNS for path in sorted(etc.glob(pattern))]
    return [path for path in found if path.exists()]


# trusted paths: only Tacho can write their parents
def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return existing paths that are neither in another one nor part of the system."""
    kept: list[Path] = []
    for path in sorted({path for path in paths if path.exists()}):
        if not any(path.is_relative_to(other) for other in (*kept, *map(Path, _SYSTEM))):
            kept.append(path)
    return kept
