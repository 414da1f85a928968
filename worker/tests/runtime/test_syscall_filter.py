"""The filter of system calls refuses what it names, on both architectures."""

import errno
import struct
import subprocess
from pathlib import Path

import pytest

from worker.runtime.process.sandbox import Network, Sandbox, View, find_sandbox
from worker.runtime.process.syscall_filter import Machine, compile_filter

_ALLOW = 0x7FFF0000
_ARCHITECTURES: dict[Machine, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_I386 = 0x40000003
_NEW_USER = 0x10000000
# The flags of clone for a process and for a thread.
_FORK, _THREAD = 0x01200011, 0x003D0F00


def run(machine: Machine, number: int, argument: int = 0, architecture: int | None = None) -> int:
    """Return the error with which the filter refuses a call; 0 if it allows it."""
    program = list(struct.iter_unpack("=HBBI", compile_filter(machine)))
    found = _ARCHITECTURES[machine] if architecture is None else architecture
    data = {0: number, 4: found, 16: argument & 0xFFFFFFFF}
    position = value = 0
    while True:
        code, if_true, if_false, operand = program[position]
        position += 1
        match code:
            case 0x20:
                value = data[operand]
            case 0x06:
                return 0 if operand == _ALLOW else operand & 0xFFFF
            case 0x15:
                position += if_true if value == operand else if_false
            case 0x35:
                position += if_true if value >= operand else if_false
            case 0x45:
                position += if_true if value & operand else if_false
            case _:
                pytest.fail(f"unknown instruction {code}")


@pytest.mark.parametrize(
    ("machine", "refused"),
    [
        ("x86_64", {"mount": 165, "unshare": 272, "setns": 308, "ptrace": 101, "bpf": 321}),
        ("aarch64", {"mount": 40, "unshare": 97, "setns": 268, "ptrace": 117, "bpf": 280}),
    ],
)
def test_named_calls_are_refused(machine: Machine, refused: dict[str, int]) -> None:
    # io_uring, mounts of the new kind and quotactl_fd have the same number everywhere.
    for number in (*refused.values(), 425, 426, 427, *range(428, 434), 442, 443):
        assert run(machine, number) == errno.EPERM, number


@pytest.mark.parametrize(
    ("machine", "allowed"),
    [
        # read, mmap, openat, execve, futex, epoll_pwait, accept4, getrandom, statx, setuid, capset
        ("x86_64", (0, 9, 257, 59, 202, 281, 288, 318, 332, 105, 126, 317, 157)),
        ("aarch64", (63, 222, 56, 221, 98, 22, 242, 278, 291, 146, 91, 277, 167)),
    ],
)
def test_other_calls_are_allowed(machine: Machine, allowed: tuple[int, ...]) -> None:
    for number in (*allowed, 424, 434, 437, 439, 449):
        assert run(machine, number) == 0, number


@pytest.mark.parametrize(
    ("machine", "clone", "socket"), [("x86_64", 56, 41), ("aarch64", 220, 198)]
)
def test_clones_and_sockets_depend_on_their_argument(
    machine: Machine, clone: int, socket: int
) -> None:
    assert run(machine, clone, _FORK) == run(machine, clone, _THREAD) == 0
    assert run(machine, clone, _NEW_USER | 17) == errno.EPERM
    assert run(machine, 435) == errno.ENOSYS
    for family in (1, 2, 10, 16):
        assert run(machine, socket, family) == 0
    for family in (0, 17, 38, 40):
        assert run(machine, socket, family) == errno.EAFNOSUPPORT


def test_calls_of_other_architectures_are_refused() -> None:
    assert run("x86_64", 0, architecture=_I386) == errno.ENOSYS
    assert run("aarch64", 63, architecture=_I386) == errno.ENOSYS
    assert run("x86_64", 0x40000000) == errno.ENOSYS


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    found, reason = find_sandbox(tmp_path)
    if found is None:
        pytest.skip(reason)
    return found


@pytest.mark.parametrize(
    "command",
    [
        "unshare --user true",
        "unshare --mount true",
        # A virtual machine reaches its host by it.
        "python3 -c 'import socket; socket.socket(socket.AF_VSOCK)'",
    ],
)
def test_the_kernel_applies_the_filter(sandbox: Sandbox, command: str) -> None:
    view = View(Path("/"), temporary_bytes=1024**2)
    done = subprocess.run(
        sandbox.wrap(["/bin/sh", "-c", command], view, Network.OWN),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "not permitted" in done.stderr or "not supported" in done.stderr


def test_a_sandbox_of_another_user_has_the_filter_too(sandbox: Sandbox) -> None:
    """Without root, bubblewrap itself makes a user namespace, and the program makes no other."""
    if not sandbox.is_root:
        pytest.skip("the tests above cover it")
    plain = Sandbox(sandbox.bwrap, sandbox.setpriv, sandbox.nsenter, sandbox.etc, is_root=False)
    for path in (sandbox.etc, *sandbox.etc.parents):
        if path.stat().st_mode & 0o5 != 0o5:
            path.chmod(path.stat().st_mode | 0o5)
    done = subprocess.run(
        [
            *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"),
            *plain.wrap(
                ["/bin/sh", "-c", "grep ^Seccomp: /proc/self/status; unshare --user true"],
                View(Path("/"), temporary_bytes=1024**2),
                Network.OWN,
            ),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["Seccomp:", "2"], done.stderr
    assert "not permitted" in done.stderr
