"""Other machines for benchmarks: network namespaces, joined to this one by links of a known delay.

`netem` of the kernel delays the packets. On kernels without it, the program in `link_module`
forwards them between two TUN devices. Both apply in each direction, so a delay adds twice to a
round trip. Making namespaces and devices needs root.
"""

import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from tools.benchmarks.programs import build_program

LINK_MODULE = Path(__file__).parent / "link_module"

# RFC 2544 reserves 198.18.0.0/15 for benchmarks of networks.
_NETWORKS = "198.18"
_QUEUED_PACKETS = 1000
# Without it, Go interrupts the threads of the program a hundred times a second.
_GO_SETTINGS = {"GODEBUG": "asyncpreemptoff=1"}


@dataclass(frozen=True)
class LinkShape:
    """The delay and the highest rate of a link in each direction; 0 for those of the machine."""

    delay_us: int = 0
    rate_mbps: int = 0


class Link(Protocol):
    """A link to a namespace.

    Attributes:
        report: numbers of packets when the shape was changed last, see `link_module/main.go`; empty
            if the kernel forwards them.
    """

    report: Mapping[str, int]

    @property
    def kind(self) -> str:
        """Return a description of what delays the packets."""
        ...

    def change(self, shape: LinkShape) -> None:
        """Apply a shape to the packets that enter the link from now on."""
        ...

    def close(self) -> None:
        """Remove the link and its devices."""
        ...


# Makes a link to a namespace; gets its name and those of both devices.
MakeLink = Callable[[str, str, str], Link]


@dataclass(frozen=True)
class FarHost:
    """A network namespace that reaches this one only over a link.

    Attributes:
        address, near_address: of the namespace, and of this one.
    """

    namespace: str
    address: str
    near_address: str
    link: Link

    @property
    def launcher(self) -> tuple[str, ...]:
        """Return the command that runs another command in the namespace."""
        # Unlike `ip netns exec`, it leaves all mounts as they are.
        return ("nsenter", f"--net=/var/run/netns/{self.namespace}", "--")


@contextmanager
def open_far_hosts(count: int, go: str, folder: Path) -> Iterator[Sequence[FarHost]]:
    """Make far hosts, which end with the context. All of them reach this host at one address.

    Args:
        go: path of the Go tool.
        folder: the program that forwards packets is built there, if it is needed.
    """

    def make_link(namespace: str, near: str, far: str) -> Link:
        if has_netem(namespace):
            return NetemLink(namespace, near, far)
        program = folder / "link"
        if not program.exists():
            build_program(go, LINK_MODULE, program)
        return ForwardedLink(program, namespace, near, far)

    with ExitStack() as exits:
        yield add_far_hosts(exits, count, make_link)


def add_far_hosts(exits: ExitStack, count: int, make_link: MakeLink) -> list[FarHost]:
    """Make far hosts, which end with `exits`. All of them reach this host at one address.

    Args:
        make_link: called with a namespace and the names of both devices of its link.
    """
    network = f"{_NETWORKS}.{secrets.randbelow(256)}"
    token = secrets.token_hex(3)
    hosts = []
    for index in range(count):
        name = f"{token}-{index}"
        namespace, near, far = f"tacho-{name}", f"tn{name}", f"tf{name}"
        run_command("ip", "netns", "add", namespace)
        exits.callback(run_command, "ip", "netns", "delete", namespace)
        link = make_link(namespace, near, far)
        exits.callback(link.close)
        host = FarHost(namespace, f"{network}.{index + 2}", f"{network}.1", link)
        _set_addresses(host, near, far)
        link.change(LinkShape())
        hosts.append(host)
    return hosts


def has_netem(namespace: str) -> bool:
    """Return whether the kernel can delay packets; tried on the loopback of a new namespace."""
    if shutil.which("tc") is None:
        return False
    device = ("tc", "-n", namespace, "qdisc")
    tried = subprocess.run(
        [*device, "add", "dev", "lo", "root", "netem", "delay", "1us"],
        capture_output=True,
        check=False,
    )
    if tried.returncode != 0:
        return False
    run_command(*device, "delete", "dev", "lo", "root")
    return True


class PlainLink:
    """A pair of virtual Ethernet devices, with the delay and the rate of this machine."""

    kind = "virtual Ethernet"
    report: Mapping[str, int] = MappingProxyType({})

    def __init__(self, namespace: str, near: str, far: str) -> None:
        pair = ("type", "veth", "peer", "name", far, "netns", namespace)
        run_command("ip", "link", "add", near, *pair)
        self._near = near

    def change(self, shape: LinkShape) -> None:
        """Raise ValueError for any shape but that of the machine."""
        if shape != LinkShape():
            raise ValueError(f"A plain link has no shape such as {shape}.")

    def close(self) -> None:
        """Remove both devices."""
        run_command("ip", "link", "delete", self._near)


class NetemLink(PlainLink):
    """A pair of virtual Ethernet devices with the queueing discipline `netem` at both ends."""

    kind = "netem"

    def __init__(self, namespace: str, near: str, far: str) -> None:
        super().__init__(namespace, near, far)
        self._has_shape = False
        self._ends = ((("tc",), near), (("tc", "-n", namespace), far))

    def change(self, shape: LinkShape) -> None:
        """Replace the queueing discipline at both ends. A change would keep an earlier rate."""
        rate = ("rate", f"{shape.rate_mbps}mbit") if shape.rate_mbps else ()
        for command, device in self._ends:
            place = ("dev", device, "root")
            if self._has_shape:
                run_command(*command, "qdisc", "delete", *place)
            run_command(
                *(*command, "qdisc", "add", *place, "netem"),
                *("limit", str(_QUEUED_PACKETS), "delay", f"{shape.delay_us}us", *rate),
            )
        self._has_shape = True


class ForwardedLink:
    """A process that forwards packets between two TUN devices."""

    def __init__(self, program: Path, namespace: str, near: str, far: str) -> None:
        self._process = subprocess.Popen(
            [str(program), near, far],
            env=os.environ | _GO_SETTINGS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.report: Mapping[str, int] = {}
        # The process answers once both devices exist.
        self.change(LinkShape())
        run_command("ip", "link", "set", far, "netns", namespace)

    @property
    def kind(self) -> str:
        """Return that a program forwards packets, and whether it runs before other programs."""
        priority = "a real-time" if self.report["is_real_time"] else "an ordinary"
        return f"a program that forwards packets with {priority} priority"

    def change(self, shape: LinkShape) -> None:
        """Have the process apply a shape, and read its report."""
        line = {
            "delay_ns": shape.delay_us * 1000,
            "rate_bit_per_s": shape.rate_mbps * 1_000_000,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(line)}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"The link ended with exit code {self._process.wait()}.")
        self.report = json.loads(answer)

    def close(self) -> None:
        """End the process, and with it both devices."""
        self._process.kill()
        self._process.communicate()


def run_command(*command: str) -> None:
    """Run a command. Raises RuntimeError, with the message of the command, if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")


def _set_addresses(host: FarHost, near: str, far: str) -> None:
    """Give both ends of a link an address each, and set them up."""
    inside = ("-n", host.namespace)
    run_command("ip", *inside, "link", "set", "lo", "up")
    for scope, device, own, peer in (
        ((), near, host.near_address, host.address),
        (inside, far, host.address, host.near_address),
    ):
        run_command("ip", *scope, "address", "add", own, "peer", peer, "dev", device)
        run_command("ip", *scope, "link", "set", device, "txqueuelen", str(_QUEUED_PACKETS), "up")
