"""A network namespace for a test, and other machines next to it.

Load and rules of a firewall then stay away from the network of this machine.
"""

import ctypes
import os
import secrets
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

# RFC 2544 reserves 198.18.0.0/15 for benchmarks of networks.
_NETWORKS = "198.18"
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET


@dataclass(frozen=True)
class FarHost:
    """A network namespace that reaches this one only over a link.

    Attributes:
        address, near_address: of the namespace, and of this one.
    """

    namespace: str
    address: str
    near_address: str

    @property
    def launcher(self) -> tuple[str, ...]:
        """Return the command that runs another command in the namespace."""
        # Unlike `ip netns exec`, it leaves all mounts as they are.
        return ("nsenter", f"--net=/var/run/netns/{self.namespace}", "--")


@contextmanager
def own_network(*, forwards: bool = True) -> Iterator[None]:
    """Give this thread, and all that it starts, a network with only a loopback device; needs root.

    Args:
        forwards: whether it forwards IP packets, as a host with containers does.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open("rb") as before:
        _check(libc.unshare(_NEW_NETWORK))
        try:
            _run("ip", "link", "set", "lo", "up")
            setting = Path("/proc/sys/net/ipv4/ip_forward")
            setting.write_text(str(int(forwards)), encoding="ascii")
            yield
        finally:
            _check(libc.setns(before.fileno(), _NEW_NETWORK))


@contextmanager
def open_far_hosts(count: int) -> Iterator[Sequence[FarHost]]:
    """Make far hosts, which end with the context. All of them reach this host at one address."""
    network = f"{_NETWORKS}.{secrets.randbelow(256)}"
    token = secrets.token_hex(3)
    hosts = []
    with ExitStack() as exits:
        for index in range(count):
            name = f"{token}-{index}"
            host = FarHost(f"tacho-{name}", f"{network}.{index + 2}", f"{network}.1")
            near, far = f"tn{name}", f"tf{name}"
            _run("ip", "netns", "add", host.namespace)
            exits.callback(_run, "ip", "netns", "delete", host.namespace)
            pair = ("type", "veth", "peer", "name", far, "netns", host.namespace)
            _run("ip", "link", "add", near, *pair)
            exits.callback(_run, "ip", "link", "delete", near)
            _set_addresses(host, near, far)
            hosts.append(host)
        yield hosts


def _run(*command: str) -> None:
    """Run a command. Raises RuntimeError, with the message of the command, if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")


def _set_addresses(host: FarHost, near: str, far: str) -> None:
    """Give both ends of a link an address each, and set them up."""
    inside = ("-n", host.namespace)
    _run("ip", *inside, "link", "set", "lo", "up")
    for scope, device, own, peer in (
        ((), near, host.near_address, host.address),
        (inside, far, host.address, host.near_address),
    ):
        _run("ip", *scope, "address", "add", own, "peer", peer, "dev", device)
        _run("ip", *scope, "link", "set", device, "up")


def _check(result: int) -> None:
    """Raise OSError if a function of the C library failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
