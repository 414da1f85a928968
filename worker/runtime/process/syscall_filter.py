"""The filter of system calls for programs in a sandbox, as a program of the kernel's BPF machine.

It refuses what no service and no build needs, and what faults of the kernel are often reached by:
mounts, new namespaces (also those of users), tracing, io_uring, BPF, keys and kernel modules. The
default profile of Docker refuses most of them too. Sockets are those of the Internet, of this
machine and of netlink. Calls of other architectures, such as 32-bit ones, are refused.

bubblewrap loads it (`--seccomp`), and all programs that it starts keep it.
"""

import errno
import platform
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Machine = Literal["x86_64", "aarch64"]

# Numbers of calls on x86_64 and on aarch64.
_REFUSED: dict[str, tuple[int, int]] = {
    # Files and mounts.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_by_handle_at": (304, 265),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18),
    "nfsservctl": (180, 42),
    # Namespaces.
    "unshare": (272, 97),
    "setns": (308, 268),
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # The kernel and the machine.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "vhangup": (153, 58),
}
# Of x86_64 only.
_REFUSED_X86 = {
    "uselib": 134,
    "ustat": 136,
    "sysfs": 139,
    "_sysctl": 156,
    "iopl": 172,
    "ioperm": 173,
    "create_module": 174,
    "get_kernel_syms": 177,
    "query_module": 178,
    "vserver": 236,
}
_SOCKET = (41, 198)
_CLONE = (56, 220)
_CLONE3 = (435, 435)
_INDEX: dict[Machine, int] = {"x86_64": 0, "aarch64": 1}
_ARCHITECTURES: dict[Machine, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# The calls of x32 are those of x86_64 with this bit.
_X32_BIT = 0x40000000
# The flags of `clone` for namespaces of mounts, control groups, UTS, IPC, users, processes and
# networks.
_NEW_NAMESPACES = 0x7E020000
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others reach the machine, as AF_VSOCK does, or rarely used
# parts of the kernel.
_FAMILIES = (1, 2, 10, 16)

# Instructions, results and fields of `struct seccomp_data`.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16


@dataclass(frozen=True)
class _Step:
    """An instruction. The jumps count the instructions to skip."""

    code: int
    value: int
    if_true: int = 0
    if_false: int = 0

    def pack(self) -> bytes:
        return struct.pack("=HBBI", self.code, self.if_true, self.if_false, self.value)


_Program = Sequence[_Step]
_PASS: _Program = (_Step(_RETURN, _ALLOW),)


def find_machine() -> Machine | None:
    """Return the architecture of this machine; None if there is no filter for it."""
    machine = platform.machine()
    return machine if machine in _INDEX else None


def compile_filter(machine: Machine) -> bytes:
    """Return the filter for bubblewrap's `--seccomp`: an array of `struct sock_filter`."""
    rules = _list_rules(_INDEX[machine])
    steps = [
        _Step(_LOAD, _ARCHITECTURE),
        _Step(_JUMP_EQUAL, _ARCHITECTURES[machine], if_true=1),
        *_refuse(errno.ENOSYS),
        _Step(_LOAD, _NUMBER),
        _Step(_JUMP_AT_LEAST, _X32_BIT, if_false=1),
        *_refuse(errno.ENOSYS),
        *_search(sorted(rules), rules.__getitem__),
    ]
    return b"".join(step.pack() for step in steps)


def _list_rules(index: int) -> dict[int, _Program]:
    """Return what happens at a call, by its number."""
    rules: dict[int, _Program] = {
        numbers[index]: _refuse(errno.EPERM) for numbers in _REFUSED.values()
    }
    if index == _INDEX["x86_64"]:
        rules |= {number: _refuse(errno.EPERM) for number in _REFUSED_X86.values()}
    # A filter cannot read the flags of `clone3`. The C library then uses `clone`.
    rules[_CLONE3[index]] = _refuse(errno.ENOSYS)
    rules[_CLONE[index]] = (
        _Step(_LOAD, _FIRST_ARGUMENT),
        _Step(_JUMP_SET, _NEW_NAMESPACES, if_false=1),
        *_refuse(errno.EPERM),
        *_PASS,
    )
    known = [
        _Step(_JUMP_EQUAL, family, if_true=len(_FAMILIES) - position)
        for position, family in enumerate(_FAMILIES)
    ]
    rules[_SOCKET[index]] = (
        _Step(_LOAD, _FIRST_ARGUMENT),
        *known,
        *_refuse(errno.EAFNOSUPPORT),
        *_PASS,
    )
    return rules


def _refuse(number: int) -> _Program:
    return (_Step(_RETURN, _ERRNO | number),)


def _search(numbers: Sequence[int], rule: Callable[[int], _Program]) -> list[_Step]:
    """Return a binary search for the number that was loaded."""
    if len(numbers) == 1:
        found = rule(numbers[0])
        return [_Step(_JUMP_EQUAL, numbers[0], if_false=len(found)), *found, *_PASS]
    middle = len(numbers) // 2
    below, rest = _search(numbers[:middle], rule), _search(numbers[middle:], rule)
    return [_Step(_JUMP_AT_LEAST, numbers[middle], if_true=len(below)), *below, *rest]
