"""What can keep Tacho from starting or running; each message holds the fix."""

from backend.core.errors import TachoError


class PlatformError(TachoError):
    """Something under Tacho is missing or broken; the detail says what to do."""

    code = "platform_error"
    title = "Cannot start"


class AlreadyRunning(PlatformError):
    """Another `tacho up` holds this data folder; `url` is its address."""

    code = "already_running"

    def __init__(self, url: str, pid: int) -> None:
        super().__init__(f"Tacho is already running at {url} (process {pid}).", url=url, pid=pid)


class PartFailed(PlatformError):
    """A part did not start, or died too often; the detail ends with its last log lines."""

    code = "part_failed"
