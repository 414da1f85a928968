"""Calls the programs that change the network of this machine: iproute2, nftables and iptables."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from worker.runtime.errors import RuntimeFailure

# Cron, systemd and `su` may leave out the folders of these programs.
PROGRAM_PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
_COMMAND_S = 30.0
_PACKAGES = {
    "ip": "iproute2",
    "iptables": "iptables",
    "nft": "nftables",
    "nsenter": "util-linux",
    "slirp4netns": "slirp4netns",
    "unshare": "util-linux",
}


def find_program(name: str) -> str | None:
    """Return the path of a program; None if this machine does not have it."""
    return shutil.which(name, path=PROGRAM_PATH)


def explain_missing_programs(names: Sequence[str]) -> str:
    """Return which of these programs are missing, and how to install them; empty if none."""
    missing = [name for name in names if find_program(name) is None]
    if not missing:
        return ""
    packages = " ".join(sorted({_PACKAGES[name] for name in missing}))
    return (
        f"This machine has no {' and no '.join(missing)}. Install it (Debian: apt-get install "
        f"{packages})."
    )


def put_table(name: str, chains: str) -> None:
    """Make a table of nftables for IPv4, or replace it, all at once. Raises RuntimeFailure."""
    run_program("nft", "-f", "-", given=f"{_clear(name)}table ip {name} {{\n{chains}}}\n")


def remove_table(name: str) -> None:
    """Remove a table of nftables for IPv4, if there is one. Raises RuntimeFailure."""
    run_program("nft", "-f", "-", given=_clear(name))


def _clear(name: str) -> str:
    # `delete` fails without a table, which `table` makes.
    return f"table ip {name}\ndelete table ip {name}\n"


def disable_ipv6(device: str) -> None:
    """Turn off IPv6 on a device, if the kernel has IPv6. Raises RuntimeFailure."""
    setting = Path("/proc/sys/net/ipv6/conf", device, "disable_ipv6")
    if not setting.exists():
        return
    try:
        setting.write_text("1", encoding="ascii")
    except OSError as error:
        raise RuntimeFailure(f"IPv6 of {device} cannot be turned off: {error}.") from error


def run_program(*command: str, given: str = "") -> str:
    """Return the output of a command. Raises RuntimeFailure, with its message, if it fails."""
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            env={"PATH": PROGRAM_PATH},
            timeout=_COMMAND_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuntimeFailure(f"`{command[0]}` failed: {error}.") from error
    if done.returncode != 0:
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        raise RuntimeFailure(f"`{command[0]}` failed: {reason}.")
    return done.stdout
