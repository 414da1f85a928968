"""The limits of a build that both runtimes share, and its network."""

import os
from dataclasses import dataclass
from typing import Literal

from backend.core.config import Settings
from backend.core.units import BuildNetwork

HOST_NETWORK_WARNING = (
    "Builds use the network of this machine, so they can reach programs that listen on loopback "
    "addresses. Leave TACHO_BUILD_NETWORK=bridge, and install slirp4netns and iproute2 if services "
    "run as processes (Debian: apt-get install slirp4netns iproute2)."
)
OPEN_NETWORK_WARNING = (
    "Builds can reach this machine at its addresses, and private networks. Run the worker as root "
    "on the machine of the container engine, with nftables installed (Debian: apt-get install "
    "nftables), or set TACHO_BUILD_PROXY."
)
NETWORK_WARNINGS = {
    BuildNetwork.HOST: HOST_NETWORK_WARNING,
    BuildNetwork.BRIDGE: OPEN_NETWORK_WARNING,
}


@dataclass(frozen=True)
class BuildLimits:
    """The resources and the network of a build. `disk_bytes` applies to each of its steps."""

    cpus: tuple[int, ...]
    memory_bytes: int
    disk_bytes: int
    network: Literal["bridge", "host"]

    @classmethod
    def read(cls, settings: Settings) -> "BuildLimits":
        """Return the limits of the settings, on the CPUs that this worker may use."""
        return cls(
            tuple(sorted(os.sched_getaffinity(0))),
            settings.build_memory_mb * 1024**2,
            settings.build_disk_mb * 1024**2,
            settings.build_network,
        )


def describe_excess(slug: str, limit_bytes: int) -> str:
    """Return why a build was stopped that fills the disk, and what to do."""
    return (
        f"A step of the build of {slug} filled more than {limit_bytes // 1024**2} MiB of the disk "
        "and was stopped. If it needs more, set TACHO_BUILD_DISK_MB to a higher number."
    )
