"""Joins the network namespace of a pod to this host, so that load hosts reach its service.

A pair of virtual Ethernet devices joins both. The kernel translates the service address to that of
the pod, for the ports that are exposed. No program handles the traffic. All its rules are in a
table of nftables that is made and removed as a whole.

A container engine lets the chain FORWARD of iptables drop packets. No rule in another table can
undo that, so this chain gets a rule for each direction.

The pod can only answer. The host drops all other packets from it, also those to the host itself.
A program in the pod that opens a connection gets "network is unreachable", as in a pod without a
link, because only answers have a route.

It needs root, iproute2, nftables, iptables, and a host that forwards IP packets.
"""

import hashlib
import ipaddress
import os
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.platform.network import is_loopback
from worker.runtime.errors import RuntimeFailure
from worker.runtime.firewall import (
    PROGRAM_PATH,
    disable_ipv6,
    explain_missing_programs,
    put_table,
    remove_table,
    run_program,
)

_PROGRAMS = ("ip", "iptables", "nft", "nsenter", "unshare")
_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
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

# The chain prerouting sees packets from other machines, output those from this one. The latter have
# the service address as their source, which the pod takes for its own, so they get another one.
# Each chain comes just before that of iptables.
_CHAINS = """\
  set ports {{ type inet_service; }}
  chain prerouting {{
    type nat hook prerouting priority -101;
    ip daddr {address} tcp dport @ports dnat to {far}
  }}
  chain output {{
    type nat hook output priority -101;
    ip daddr {address} tcp dport @ports dnat to {far}
  }}
  chain postrouting {{
    type nat hook postrouting priority 99;
    ip saddr {address} oifname "{name}" snat to {near}
  }}
  chain input {{
    type filter hook input priority -1;
    iifname "{name}" ct state != established drop
  }}
  chain forward {{
    type filter hook forward priority -1;
    iifname "{name}" ct state != established drop
    oifname "{name}" ct status dnat accept
    oifname "{name}" drop
  }}
"""
_DIRECTIONS = ("-i", "-o")
_IPTABLES = ("iptables", "-w", "10")


def name_link(trial_id: str, attempt: int) -> str:
    """Return the name of an attempt's link: that of its device and of its table of rules."""
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
            addresses = {"address": address, "near": near, "far": self.pod_address}
            put_table(name, _CHAINS.format(name=name, **addresses))
            for direction in _DIRECTIONS:
                run_program(*_IPTABLES, "-I", *_accept(direction, name))
            run_program("ip", "link", "set", name, "up")
            self._run_inside(_PREPARE_POD.format(device=_DEVICE, table=_TABLE, **addresses))
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
        run_program("nft", f"add element ip {self._name} ports {{ {port} }}")

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
    if name in {device for _, device in socket.if_nameindex()}:
        # The kernel removes it too, once the namespace of the pod has ended.
        with suppress(RuntimeFailure):
            run_program("ip", "link", "delete", name)
    for direction in _DIRECTIONS:
        rule = _accept(direction, name)
        if _has_rule(rule):
            run_program(*_IPTABLES, "-D", *rule)
    remove_table(name)


def _accept(direction: str, name: str) -> tuple[str, ...]:
    return ("FORWARD", direction, name, "-j", "ACCEPT")


def _has_rule(rule: Sequence[str]) -> bool:
    try:
        run_program(*_IPTABLES, "-C", *rule)
    except RuntimeFailure:
        return False
    return True


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
