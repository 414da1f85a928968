"""Errors that keep Tacho from starting or running. Each message contains the fix."""

from backend.core.errors import TachoError


class PlatformError(TachoError):
    """The platform is incomplete or broken. The detail contains the fix."""

    code = "platform_error"
    title = "Cannot start"


class AlreadyRunning(PlatformError):
    """Another `tacho up` uses this data folder; `url` is its address."""

    code = "already_running"

    def __init__(self, url: str, pid: int) -> None:
        super().__init__(f"Tacho is already running at {url} (process {pid}).", url=url, pid=pid)


class PartFailed(PlatformError):
    """A part did not start. The detail ends with its last log lines."""

    code = "part_failed"
