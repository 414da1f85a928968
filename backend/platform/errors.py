"""Errors that keep Tacho from starting or running. Each message contains the fix."""

from backend.core.errors import TachoError


class PlatformError(TachoError):
    """The platform is incomplete or broken. The detail contains the fix."""

    code = "platform_error"
    title = "Cannot start"


class AlreadyRunning(PlatformError):
    """Another process uses this data folder.

    Attributes:
        pid: its number; 0 if it is unknown.
        serves: whether it is `tacho up`, instead of a command that ends by itself.
    """

    code = "already_running"

    def __init__(self, url: str, pid: int, *, serves: bool = True) -> None:
        super().__init__(f"Tacho is already running at {url} (process {pid}).", url=url, pid=pid)
        self.pid = pid
        self.serves = serves


class PartFailed(PlatformError):
    """A part did not start. The detail ends with its last log lines."""

    code = "part_failed"
