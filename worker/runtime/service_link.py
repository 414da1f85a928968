"""Joins the network namespace of a pod to this host, so that load hosts reach its service.

A pair of virtual Ethernet devices joins both. The kernel translates the service address to that of
the pod, for the ports that are exposed (iptables). No program handles the traffic.

The pod can only answer. The host drops all other packets from it, also those to the host itself.
A program in the pod that opens a connection gets "network is unreachable", as in a pod without a
link, because only answers have a route.

It needs root, iproute2, iptables, and a host that forwards IP packets.
"""

import hashlib
import ipaddress
import os
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.platform.network import is_loopback
from worker.runtime.errors import RuntimeFailure
from worker.runtime.firewall import (
    PROGRAM_PATH,
    WAIT_FOR_LOCK,
    disable_ipv6,
    explain_missing_programs,
    restore_rules,
    run_program,
)

_PROGRAMS = ("ip", "iptables", "iptables-restore", "nsenter", "unshare")
_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
_TABLES = ("nat", "filter")
# RFC 2544 reserves 198.18.0.0/15 for benchmarks. Links of benchmarks use its first half.
_NETWORK = ipaddress.IPv4Network("198.19.0.0/16")
# The device in the pod, and the routing table of its answers.
_DEVICE = "service"
_TABLE = "100"
_HOLD_S = 5.0
_POLL_S = 0.005

_PREPARE_POD = """\
set -e
ipv6=/proc/sys/net/ipv6/conf/{device}/disable_ipv6
[ ! -e $ipv6 ] || echo 1 >$ipv6
ip link set lo up
ip address add {address}/32 dev lo
ip address add {far}/32 dev {device}
ip link set {device} up
ip rule add from {far} lookup {table}
ip route add default via {near} dev {device} onlink table {table}
"""
# The load's own connections must not use the ports on which services listen.
_RESERVE_PORTS = "echo {ports} >/proc/sys/net/ipv4/ip_local_reserved_ports"

# PREROUTING sees packets from other machines, OUTPUT those from this one. The latter have the
# service address as their source, which the pod takes for its own, so they get another one.
_RULES = """\
*nat
:{name} - [0:0]
-I PREROUTING 1 -d {address}/32 -p tcp -j {name}
-I OUTPUT 1 -d {address}/32 -p tcp -j {name}
-I POSTROUTING 1 -s {address}/32 -o {name} -j SNAT --to-source {near}
COMMIT
*filter
:{name} - [0:0]
-A {name} -i {name} -m conntrack --ctstate ESTABLISHED -j ACCEPT
-A {name} -i {name} -j DROP
-A {name} -o {name} -m conntrack --ctstate DNAT -j ACCEPT
-A {name} -o {name} -j DROP
-I INPUT 1 -i {name} -j {name}
-I FORWARD 1 -i {name} -j {name}
-I FORWARD 1 -o {name} -j {name}
COMMIT
"""


def name_link(trial_id: str, attempt: int) -> str:
    """Return the name of an attempt's link: that of its device and of its chains of rules."""
    digest = hashlib.sha256(f"{trial_id}.{attempt}".encode()).hexdigest()
    return f"tacho-{digest[:8]}"


class ServiceLink:
    """A link to the network namespace of a process. Creating it makes the link."""

    def __init__(self, name: str, address: str, pid: int) -> None:
        """Make the link.

        Args:
            name: see `name_link`.
            address: the service address of this host.
            pid: a process in the namespace.

        Raises:
            RuntimeFailure: the machine refuses it.
        """
        self._name = name
        self._pid = pid
        self._ports: list[int] = []
        self._lock = threading.Lock()
        self._is_closed = False
        near, self.pod_address = _choose_addresses()
        try:
            pair = f"type veth peer name {_DEVICE} netns {pid}"
            run_program("ip", "link", "add", name, *pair.split())
            # Otherwise the pod could call the host by IPv6, which these rules do not cover.
            disable_ipv6(name)
            run_program("ip", "address", "add", near, "peer", self.pod_address, "dev", name)
            restore_rules(_RULES.format(name=name, address=address, near=near))
            run_program("ip", "link", "set", name, "up")
            values = {"device": _DEVICE, "table": _TABLE}
            self._run_inside(
                _PREPARE_POD.format(address=address, near=near, far=self.pod_address, **values)
            )
        except BaseException:
            self.close()
            raise

    def expose(self, port: int) -> None:
        """Let load hosts reach a port of the pod at the same port of the service address.

        Raises:
            RuntimeFailure: the machine refuses it.
        """
        self._ports.append(port)
        self._run_inside(_RESERVE_PORTS.format(ports=",".join(map(str, self._ports))))
        rule = f"-A {self._name} -p tcp --dport {port} -j DNAT --to-destination {self.pod_address}"
        run_program("iptables", *WAIT_FOR_LOCK, "-t", "nat", *rule.split())

    def close(self) -> None:
        """Remove the link; repeatable."""
        with self._lock:
            if not self._is_closed:
                remove_link(self._name)
            self._is_closed = True

    def _run_inside(self, script: str) -> None:
        run_program("nsenter", "--target", str(self._pid), "--net", "--", "/bin/sh", "-c", script)


def remove_link(name: str) -> None:
    """Remove the device and the rules of a link, also if a killed worker made it.

    It does nothing where this program could not have made a link.

    Raises:
        RuntimeFailure: rules cannot be removed.
    """
    if _find_missing_right():
        return
    removals = [removal for table in _TABLES if (removal := _list_removals(table, name))]
    if removals:
        restore_rules("".join(removals))
    if name in {device for _, device in socket.if_nameindex()}:
        # The kernel removes it too, once the namespace of the pod has ended.
        with suppress(RuntimeFailure):
            run_program("ip", "link", "delete", name)


def find_link_fault(address: str) -> str:
    """Return why this host cannot make links for a service address; empty if it can.

    The reason is a sentence or two, with the fix. A link is made and removed, to try it.
    """
    if reason := _find_address_fault(address) or _find_missing_right():
        return reason
    if _FORWARDING.read_text(encoding="ascii").strip() != "1":
        return "This host forwards no IP packets. Run: sysctl -w net.ipv4.ip_forward=1."
    try:
        with hold_namespace() as pid:
            link = ServiceLink(name_link(f"try {pid}", os.getpid()), address, pid)
            try:
                link.expose(1)
            finally:
                link.close()
    except RuntimeFailure as error:
        return f"This host cannot join the network of services to its own: {error.detail}"
    return ""


def _find_address_fault(address: str) -> str:
    """Return why a service address cannot be translated; empty if it can."""
    if ":" in address:
        return f"TACHO_SERVICE_ADDRESS={address} is not an IPv4 address. Set it to one."
    if is_loopback(address):
        return (
            f"TACHO_SERVICE_ADDRESS={address} is a loopback address. Set it to the address of this "
            "host in a network."
        )
    if not _is_own(address):
        return f"This host has no address {address}. Fix TACHO_SERVICE_ADDRESS."
    return ""


def _find_missing_right() -> str:
    """Return what this program lacks to make links; empty if nothing."""
    if os.geteuid() != 0:
        return "Tacho does not run as root here. Run the worker as root."
    return explain_missing_programs(_PROGRAMS)


def _is_own(address: str) -> bool:
    """Return whether this host has an IPv4 address."""
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def _choose_addresses() -> tuple[str, str]:
    """Return the addresses of both ends of a link: that of the host, and that of the pod."""
    index = 2 * secrets.randbelow(_NETWORK.num_addresses // 2)
    return str(_NETWORK[index]), str(_NETWORK[index + 1])


def _list_removals(table: str, name: str) -> str:
    """Return lines for iptables-restore that remove a link from a table; empty if it has none."""
    listed = run_program("iptables", *WAIT_FOR_LOCK, "-t", table, "-S").splitlines()
    own = [line for line in listed if name in line.split()]
    others = [line for line in own if line.startswith("-A") and line.split()[1] != name]
    lines = [f"-D{line.removeprefix('-A')}" for line in others]
    if f"-N {name}" in own:
        lines += [f"-F {name}", f"-X {name}"]
    return "\n".join([f"*{table}", *lines, "COMMIT", ""]) if lines else ""


@contextmanager
def hold_namespace() -> Iterator[int]:
    """Make a network namespace; yield a process in it."""
    with subprocess.Popen(
        ["unshare", "--net", "cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": PROGRAM_PATH},
    ) as process:
        try:
            own = Path("/proc/thread-self/ns/net").readlink()
            deadline = time.monotonic() + _HOLD_S
            while process.poll() is None and time.monotonic() < deadline:
                with suppress(OSError):
                    if Path(f"/proc/{process.pid}/ns/net").readlink() != own:
                        break
                time.sleep(_POLL_S)
            else:
                raise RuntimeFailure("`unshare --net` made no network namespace.")
            yield process.pid
        finally:
            process.kill()
