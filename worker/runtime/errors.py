"""Errors of the runtimes.

TachoError
├── CancelledByUser          a build or trial stopped because its run was cancelled
└── RuntimeFailure           the runtime failed at an operation
    ├── BuildFailed          the service does not build; carries the log's tail
    │   └── BuildGone        a build that was measured before is no longer on this host
    ├── StartFailed          the service does not start; carries the log's tail
    ├── ProgramMissing       an image lacks the program that it should run
    ├── PodLost              a trial's containers were removed from outside
    └── RuntimeUnavailable   this host lacks the runtime; carries the fix
"""

from backend.core.errors import TachoError
from backend.core.units import FailureCause


class CancelledByUser(TachoError):
    """A build or trial stopped because its run was cancelled."""

    code = "cancelled"
    title = "Cancelled"
    cause = FailureCause.USER


class RuntimeFailure(TachoError):
    """The runtime failed at an operation."""

    code = "runtime_failure"
    title = "The runtime failed"
    cause = FailureCause.INFRASTRUCTURE


class BuildFailed(RuntimeFailure):
    """A service does not build. `log` is the tail of the build's output."""

    code = "build_failed"
    title = "The build failed"
    cause = FailureCause.SERVICE

    def __init__(self, detail: str, log: str) -> None:
        super().__init__(detail, log=log)
        self.log = log


class BuildGone(BuildFailed):
    """A build that was measured before is no longer on this host."""

    code = "build_gone"
    title = "The earlier build is gone"
    cause = FailureCause.USER

    def __init__(self, slug: str, digest: str) -> None:
        super().__init__(
            f"The build {digest[:12]} of {slug}, which was measured before, is no longer on this "
            "host: its image or folder was removed. Measure what the catalogue holds now instead.",
            log="",
        )


class StartFailed(RuntimeFailure):
    """A service does not start. `log` is the tail of its output."""

    code = "start_failed"
    title = "The service did not start"
    cause = FailureCause.SERVICE

    def __init__(self, detail: str, log: str) -> None:
        super().__init__(detail, log=log)
        self.log = log


class ProgramMissing(RuntimeFailure):
    """An image does not have the program that its recipe starts."""

    cause = FailureCause.SERVICE


class PodLost(RuntimeFailure):
    """A container of the trial was removed, or the holder of its network was stopped."""

    code = "pod_lost"
    title = "The trial's containers were removed"


class RuntimeUnavailable(RuntimeFailure):
    """This host cannot run services with this runtime. `fix` states what its operator can do."""

    code = "runtime_unavailable"
    title = "The runtime is not available"

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason} {fix}", reason=reason, fix=fix)
        self.reason = reason
        self.fix = fix
