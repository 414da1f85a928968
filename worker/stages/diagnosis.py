"""Finds the part of a trial that died first, because its death caused the later failures."""

import time

from backend.core.errors import BackingServiceDied, ServiceDied, TachoError
from backend.core.statuses import TrialStatus
from worker.runtime.base import Pod, PodRole
from worker.runtime.errors import RuntimeFailure, StartFailed
from worker.runtime.exit import Exit
from worker.stages.parts import PREPARATION, SERVICE

# A refused connection may be seen a moment before the end of the process that refused it.
_SETTLE_SECONDS = 0.5
_POLL_SECONDS = 0.05
_SHOWN_LINES = 5
_SHOWN_CHARACTERS = 800
_WHEN = {
    TrialStatus.STARTING: "before it was ready",
    TrialStatus.VERIFYING: "while its answers were verified",
    TrialStatus.WARMING_UP: "under load, during the warm-up",
    TrialStatus.MEASURING: "under load",
    TrialStatus.COLLECTING: "after the load, while its results were collected",
}


def explain_failure(pod: Pod, error: TachoError, stage: TrialStatus) -> TachoError:
    """Return the death of a part that caused `error`, or `error` itself."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        try:
            check_parts(pod, stage)
        except TachoError as death:
            return death
        if time.monotonic() > deadline:
            return error
        time.sleep(_POLL_SECONDS)


def check_parts(pod: Pod, stage: TrialStatus) -> None:
    """Check that all parts that were started in a pod still run.

    Raises:
        RuntimeFailure: the pod itself is gone, or the engine does not answer.
        StartFailed, ServiceDied, BackingServiceDied: names the part that ended. Of several, a
            backing service is named before a peer, and a peer before the service, because they
            depend on each other in this order.
    """
    pod.check()
    lasting = [name for name in pod.services if name != PREPARATION]
    order = sorted(lasting, key=lambda name: _rank(name, pod.services[name]))
    for name in order:
        end = pod.find_exit(name)
        if end is not None:
            raise explain_death(name, pod.services[name], end, stage, read_log(pod, name))


def explain_death(name: str, role: PodRole, end: Exit, stage: TrialStatus, log: str) -> TachoError:
    """Return the error for a service that ended by itself or was killed."""
    detail = f"{_describe_part(name, role)} {end.describe()} {_WHEN.get(stage, '')}".rstrip() + "."
    if lines := _last_lines(log):
        detail += f" The last lines of its log:\n{lines}"
    if role is PodRole.BACKING:
        return BackingServiceDied(detail)
    return StartFailed(detail, log) if stage is TrialStatus.STARTING else ServiceDied(detail)


def explain_preparation(pod: Pod, ended: str) -> StartFailed:
    """Return the error for the command that prepares data; `ended` is how it ended."""
    log = read_log(pod, PREPARATION)
    lines = _last_lines(log)
    more = f" The last lines of its output:\n{lines}" if lines else ""
    return StartFailed(f"The command `prepare` {ended}.{more}", log)


def read_logs(pod: Pod) -> dict[str, str]:
    """Return the logs of a pod's services by name; a log that cannot be read is empty."""
    return {name: read_log(pod, name) for name in pod.services}


def read_log(pod: Pod, name: str) -> str:
    """Return a service's log, empty when it cannot be read."""
    try:
        return pod.logs(name)
    except RuntimeFailure:
        return ""


def _describe_part(name: str, role: PodRole) -> str:
    if role is PodRole.BACKING:
        return f"The backing service {name}"
    return "The service" if name == SERVICE else f"The peer {name} of the service"


def _rank(name: str, role: PodRole) -> int:
    return 0 if role is PodRole.BACKING else 2 if name == SERVICE else 1


def _last_lines(log: str) -> str:
    lines = [line.rstrip() for line in log.splitlines() if line.strip()]
    return "\n".join(lines[-_SHOWN_LINES:])[-_SHOWN_CHARACTERS:]
