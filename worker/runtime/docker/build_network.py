"""The network of builds on an engine.

If Tacho runs as root on the machine of the engine, builds use a bridge of their own, and a table of
nftables refuses packets to the machine itself, to private networks and to link-local addresses. Its
rules only refuse: the engine's own rules pass the other packets. Otherwise
the engine's own bridge is used, which has no such rules. With TACHO_BUILD_PROXY it is instead a
bridge without any connection, to which the operator also attaches the container of the proxy.
"""

import hashlib
import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import docker.errors

from backend.core.config import Settings, get_settings
from backend.core.units import BuildNetwork
from worker.runtime.build_rules import (
    BuildRule,
    find_build_proxy,
    list_build_rules,
    list_named_servers,
    list_proxy_variables,
)
from worker.runtime.docker.engine import EngineClient, engine_errors
from worker.runtime.firewall import (
    disable_ipv6,
    explain_missing_programs,
    put_table,
    remove_table,
)

# The network without a connection. Operators attach the container of their proxy to it.
CLOSED_NETWORK = "tacho-builds"
_PREFIX = "tacho-b-"
_LABEL = "tacho.builds"
_PROGRAMS = ("nft",)
_BRIDGE = "com.docker.network.bridge"
_MTU = "com.docker.network.driver.mtu"
# Where the engine finds the name servers of containers.
_RESOLVERS = (Path("/etc/resolv.conf"), Path("/run/systemd/resolve/resolv.conf"))
_NAME_SERVER = re.compile(r"^nameserver\s+([0-9.]+)\s*$", re.MULTILINE)
_NAME_PORT = 53
_CONFLICT = 409
_FORBIDDEN = 403
_NOT_FOUND = 404
_UNUSED_AGE = timedelta(days=1)
# Of "2026-11-26T15:39:21.123456789Z", which is in UTC.
_SECONDS_LENGTH = 19
# Rules of iptables have the priority 0.
_BEFORE_FILTERS = -1


@dataclass(frozen=True)
class EngineNetwork:
    """The network of builds.

    Attributes:
        mode: its name, as the engine's builder takes it.
        reach: what builds reach in it.
        variables: those with which programs find the proxy.
    """

    mode: str
    reach: BuildNetwork
    variables: Mapping[str, str] = field(default_factory=dict)


def open_engine_network(engine: EngineClient) -> EngineNetwork:
    """Return the network of a build that begins now. It is made if necessary.

    Raises:
        RuntimeFailure: the engine or the machine refuses it.
    """
    settings, reach = get_settings(), find_reach(engine)
    proxy = list_proxy_variables(settings.build_proxy)
    if reach is BuildNetwork.HOST:
        return EngineNetwork("host", reach, proxy)
    if reach is BuildNetwork.BRIDGE:
        return EngineNetwork("bridge", reach)
    if explain_no_filter(engine, settings):
        return EngineNetwork(CLOSED_NETWORK, reach, proxy)
    name = name_network(settings)
    servers = list_named_servers(engine.container_proxies)
    _apply(name, list_build_rules(settings, servers), settings)
    found = find_build_proxy(settings)
    return EngineNetwork(name, reach, list_proxy_variables(found.url if found else ""))


def find_reach(engine: EngineClient) -> BuildNetwork:
    """Return what builds reach on an engine with the present settings.

    It makes the networks that this needs. Raises RuntimeFailure if the engine refuses them.
    """
    settings = get_settings()
    if settings.build_network == "host":
        return BuildNetwork.HOST
    is_open = explain_no_filter(engine, settings)
    if not settings.build_proxy:
        return BuildNetwork.BRIDGE if is_open else BuildNetwork.FILTERED
    if is_open:
        _ensure_network(engine, CLOSED_NETWORK, is_closed=True)
    return BuildNetwork.PROXY


def explain_no_filter(engine: EngineClient, settings: Settings) -> str:
    """Return why this program cannot restrict the network of builds; empty if it can."""
    if os.geteuid() != 0:
        return "Tacho does not run as root here. Run the worker as root."
    if fault := explain_missing_programs(_PROGRAMS):
        return fault
    name = name_network(settings)
    _ensure_network(engine, name, is_closed=False)
    if name in {device for _, device in socket.if_nameindex()}:
        return ""
    return "The engine is on another machine, or the worker runs in a container."


def format_filter(name: str, rules: Sequence[BuildRule], servers: Sequence[str]) -> str:
    """Return the chains that filter the packets of a network, as `put_table` takes them.

    A packet is judged by its destination before the engine translates it, so that published ports
    of containers are addresses of this machine.

    Args:
        name: of the network and its bridge.
        rules: see `list_build_rules`.
        servers: addresses of name servers.
    """
    lines = ["ct state invalid,untracked drop"]
    lines += [
        f"ip daddr {server} {protocol} dport {_NAME_PORT} return"
        for server in servers
        for protocol in ("udp", "tcp")
    ]
    lines += map(_format_rule, rules)
    filtered = "".join(f"    {line}\n" for line in lines)
    hooks = "".join(
        f"  chain {hook} {{\n"
        f"    type filter hook {hook} priority {_BEFORE_FILTERS};\n"
        f'    iifname "{name}" jump filtered\n'
        "  }\n"
        for hook in ("input", "forward")
    )
    return f"  chain filtered {{\n{filtered}  }}\n{hooks}"


def _format_rule(rule: BuildRule) -> str:
    network, port = rule.destination.network, rule.destination.port
    words = ["meta l4proto tcp"] if port else []
    words += [f"ct original ip daddr {network}"] if network.prefixlen else []
    words += [f"ct original proto-dst {port}"] if port else []
    verdict = "return" if rule.is_open else "reject with icmp type admin-prohibited"
    return " ".join([*words, verdict])


def _apply(name: str, rules: Sequence[BuildRule], settings: Settings) -> None:
    """Filter the packets of a network, before all other rules."""
    disable_ipv6(name)
    servers = [] if settings.build_proxy else _list_name_servers()
    put_table(name, format_filter(name, rules, servers))


def remove_network(engine: EngineClient, name: str) -> None:
    """Remove a network of builds and its rules; do nothing if containers use it.

    Raises:
        RuntimeFailure: rules cannot be removed.
    """
    try:
        engine.remove_network(name)
    except docker.errors.APIError as error:
        if error.status_code != _NOT_FOUND:
            return
    remove_table(name)


def _remove_unused(engine: EngineClient) -> None:
    """Remove the networks of earlier settings. Those of the last day may belong to others."""
    oldest = datetime.now(UTC) - _UNUSED_AGE
    for network in engine.networks(filters={"label": _LABEL}):
        created = datetime.fromisoformat(network["Created"][:_SECONDS_LENGTH]).replace(tzinfo=UTC)
        if network["Name"].startswith(_PREFIX) and created < oldest:
            remove_network(engine, network["Name"])


def name_network(settings: Settings) -> str:
    """Return the name of the network, which differs between settings; of a device's length."""
    # Rules of iptables, which earlier versions made, apply to networks of other names.
    text = "\n".join(["nftables", *settings.build_allow, settings.build_proxy])
    return _PREFIX + hashlib.sha256(text.encode()).hexdigest()[:7]


def _ensure_network(engine: EngineClient, name: str, *, is_closed: bool) -> None:
    """Make a bridge of this name, unless the engine has it."""
    with engine_errors("Making the network of builds"):
        if any(found["Name"] == name for found in engine.networks(names=[name])):
            return
        _make_network(engine, name, is_closed=is_closed)


def _make_network(engine: EngineClient, name: str, *, is_closed: bool) -> None:
    options = {f"{_BRIDGE}.name": name}
    if is_closed:
        # Without an address on the bridge, nothing on this machine can be reached over it.
        options[f"{_BRIDGE}.inhibit_ipv4"] = "true"
    else:
        # Builds cannot reach each other.
        options[f"{_BRIDGE}.enable_icc"] = "false"
        _remove_unused(engine)
    # The engine's own setting applies only to its default bridge.
    for found in engine.networks(names=["bridge"]):
        if found["Name"] == "bridge" and _MTU in (found["Options"] or {}):
            options[_MTU] = found["Options"][_MTU]
    try:
        engine.create_network(
            name,
            driver="bridge",
            options=options,
            check_duplicate=True,
            internal=is_closed,
            labels={_LABEL: "1"},
        )
    except docker.errors.APIError as error:
        # Another build made it at the same time.
        if error.status_code not in {_CONFLICT, _FORBIDDEN} or not engine.networks(names=[name]):
            raise


def _list_name_servers() -> list[str]:
    texts = [path.read_text(errors="replace") for path in _RESOLVERS if path.exists()]
    return sorted({server for text in texts for server in _NAME_SERVER.findall(text)})
