"""The isolation of the code under test on this host, and where Tacho refuses to do without."""

from sqlalchemy.exc import ProgrammingError

from backend.core.catalog.repository import find_host_of_queue
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.people.accounts.repository import has_users
from backend.core.units import BuildNetwork, Isolation
from backend.platform.network import is_loopback
from worker.runtime.errors import RuntimeUnavailable
from worker.runtime.process.sandbox import INSTALL_SANDBOX


def explain_isolation(isolation: Isolation, *, uses_host_network: bool = False) -> list[str]:
    """Return the sentence for results with less isolation; empty for others."""
    if isolation is not Isolation.NONE and uses_host_network:
        return [
            "Not isolated from the network: the services could use that of this host, because load "
            "hosts sent the load."
        ]
    if isolation is not Isolation.NONE:
        return []
    return [
        "Not isolated: the services could read the files of Tacho's user and use this host's "
        "network."
    ]


def explain_unlimited_memory(fault: str) -> list[str]:
    """Return the sentence for results of services whose memory was not limited; empty for others.

    Args:
        fault: why, as in `RuntimeInfo`; empty if memory was limited.
    """
    if not fault:
        return []
    return [
        f"Memory was not limited, because {fault}. Services could use more than the limit of their "
        "manifests."
    ]


def check_isolation(settings: Settings, isolation: Isolation) -> None:
    """Raise RuntimeUnavailable if others use the installation and this host isolates nothing."""
    if isolation is not Isolation.NONE or settings.allow_unisolated:
        return
    if not _is_shared(settings):
        return
    raise RuntimeUnavailable(
        "This host cannot isolate services that run as processes, and other people can use this "
        "installation. The code under test could read its secrets.",
        f"{INSTALL_SANDBOX}, or use Docker. If you trust all services, set "
        "TACHO_ALLOW_UNISOLATED=true.",
    )


def check_build_network(settings: Settings, network: BuildNetwork) -> None:
    """Raise RuntimeUnavailable if builds use the network of this host although nobody chose it.

    It is allowed where no other people use the installation, unless the operator chose a proxy.

    Args:
        settings: TACHO_BUILD_NETWORK and TACHO_BUILD_PROXY are read.
        network: what builds reach; `HOST` also where the chosen network is not possible.
    """
    if network is not BuildNetwork.HOST or settings.build_network == "host":
        return
    if settings.build_proxy:
        raise RuntimeUnavailable(
            "Builds on this host would use its network, and not only the proxy of "
            "TACHO_BUILD_PROXY.",
            "Install bubblewrap, slirp4netns and iproute2 (Debian: apt-get install bubblewrap "
            "slirp4netns iproute2), or use Docker.",
        )
    if settings.allow_unisolated:
        return
    if not _is_shared(settings):
        return
    raise RuntimeUnavailable(
        "Builds on this host would use its network, and other people can use this installation. "
        "They could reach programs that listen on loopback addresses.",
        "Install slirp4netns and iproute2 (Debian: apt-get install slirp4netns iproute2), or use "
        "Docker. If you trust all services, set TACHO_BUILD_NETWORK=host.",
    )


def _is_shared(settings: Settings) -> bool:
    if settings.token or not is_loopback(settings.host):
        return True
    try:
        with unit_of_work() as session:
            host = find_host_of_queue(session, settings.bench_host)
            # A host that joined sees no accounts.
            has_joined = host is not None and host.joined_at is not None
            return has_joined or has_users(session)
    except ProgrammingError:
        # Rights of an earlier version do not include the ids of accounts.
        return True
