"""The network namespaces of pods and of builds."""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from worker.runtime.build_rules import BuildRule
from worker.runtime.errors import RuntimeFailure, StartFailed
from worker.runtime.firewall import PROGRAM_PATH, explain_missing_programs, find_program
from worker.runtime.process.sandbox import NAME_SERVER, NetworkNamespace, Sandbox
from worker.runtime.process.spawn import await_program

_HOLD = """\
echo 10240 65535 2>/dev/null >/proc/sys/net/ipv4/ip_local_port_range
echo 4096 2>/dev/null >/proc/sys/net/core/somaxconn
exec cat
"""


# The namespace is never connected without the rules, because the holder ends if one of them fails.
_HOLD_BUILD = """\
printf %s "$1" | ip -batch - || exit 1
exec cat
"""
# The gateway of slirp4netns refuses all connections. Its name server takes those to port 53 only.
_GATEWAY = "10.0.2.2"
_FIRST_RULE = 100
_PROGRAMS = ("slirp4netns", "ip", "unshare")


class HeldNetwork:
    """A network namespace with only a loopback device. A process holds it."""

    def __init__(
        self,
        sandbox: Sandbox,
        place: Callable[[int], None],
        script: str = _HOLD,
        arguments: Sequence[str] = (),
        stderr: int | IO[bytes] = subprocess.DEVNULL,
    ) -> None:
        """Start the holder.

        Args:
            sandbox: makes the namespace.
            place: called with the pid of the holder before the namespace is used.
            script: what the holder does first. It can change the network, and ends with `cat`.
            arguments: of the script.
            stderr: where the holder writes what is wrong.

        Raises:
            StartFailed: the script failed, or the kernel refuses the namespace.
        """
        self._process = subprocess.Popen(
            sandbox.hold(["/bin/sh", "-c", script, "tacho", *arguments]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={"PATH": PROGRAM_PATH},
            cwd="/",
            start_new_session=True,
        )
        try:
            place(self._process.pid)
            self.namespace = NetworkNamespace(await_program(self._process, "cat"))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the holder; repeatable."""
        self._process.kill()
        self._process.communicate()


def explain_no_build_network() -> str:
    """Return what is missing for networks of builds, with the fix; empty if nothing."""
    return explain_missing_programs(_PROGRAMS)


@contextmanager
def open_build_network(
    sandbox: Sandbox, rules: Sequence[BuildRule], place: Callable[[int], None], log: Path
) -> Iterator[NetworkNamespace]:
    """Make a network namespace for a build, and connect it with what the rules leave open.

    Programs of the build have no rights in the namespace, so they cannot change the rules.

    Args:
        sandbox: makes the namespace.
        rules: see `list_build_rules`.
        place: called with the pid of each process that holds the namespace.
        log: file for messages.

    Raises:
        RuntimeFailure: the kernel or slirp4netns refuses it.
    """
    with log.open("wb") as output:  # trusted path: builds see nothing of its folder
        try:
            held = HeldNetwork(sandbox, place, _HOLD_BUILD, [format_rules(rules)], output)
        except StartFailed as error:
            raise _describe_failure(log) from error
    try:
        with _connect(sandbox, held.namespace.pid, log):
            yield held.namespace
    finally:
        held.close()


def format_rules(rules: Sequence[BuildRule]) -> str:
    """Return the lines for `ip -batch`. The first rule that matches decides."""
    # A filtering proxy looks up names itself, so that builds cannot send data as names.
    has_names = not any(
        rule.destination.network.prefixlen == 0 and not rule.is_open for rule in rules
    )
    words = [f"{server} lookup main" for server in (_GATEWAY, *([NAME_SERVER] * has_names))]
    words += [_format_rule(rule) for rule in rules]
    return "".join(
        f"rule add pref {number} to {each}\n" for number, each in enumerate(words, _FIRST_RULE)
    )


def _format_rule(rule: BuildRule) -> str:
    port = rule.destination.port
    only = f"ipproto tcp dport {port} " if port else ""
    return f"{rule.destination.network} {only}{'lookup main' if rule.is_open else 'prohibit'}"


@contextmanager
def _connect(sandbox: Sandbox, pid: int, log: Path) -> Iterator[None]:
    """Connect the network namespace of a process with other machines, not with this one's loopback.

    Raises:
        RuntimeFailure: slirp4netns does not start.
    """
    reader, writer = os.pipe()
    # The program ends when `end` is closed, also because this process is killed.
    until, end = os.pipe()
    # With its sandbox it gives up the rights of root. Others have none to give up. The sandbox
    # unmounts what it does not need, also on this machine where mounts are shared. So it begins
    # with private mounts.
    private = [find_program("unshare") or "unshare", "--mount"] if sandbox.is_root else []
    confined = ["--enable-sandbox"] if sandbox.is_root else []
    with log.open("ab") as output:  # trusted path: builds see nothing of its folder
        process = subprocess.Popen(
            [
                *private,
                *(find_program("slirp4netns") or "slirp4netns", "--configure"),
                *("--disable-host-loopback", "--mtu=65520", *confined),
                *(f"--ready-fd={writer}", f"--exit-fd={until}", str(pid), "tap0"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(writer, until),
            start_new_session=True,
        )
    os.close(writer)
    os.close(until)
    try:
        with os.fdopen(reader, "rb") as ready:
            if not ready.read(1):
                raise _describe_failure(log)
        yield
    finally:
        os.close(end)
        process.kill()
        process.wait()


def _describe_failure(log: Path) -> RuntimeFailure:
    text = log.read_text(errors="replace")  # trusted path: builds see nothing of its folder
    lines = text.strip().splitlines()
    reason = "; ".join(lines) or "no reason given"
    return RuntimeFailure(f"The network of a build could not be made: {reason}.")
