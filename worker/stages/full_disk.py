"""Finds a full disk behind the error that ended a trial."""

from collections.abc import Iterator
from pathlib import Path

from backend.core.errors import TachoError, TrialFailure
from backend.core.units import FailureCause, RuntimeKind
from backend.platform.disk import DISK_FULL_ERRORS, explain_full_disk, mentions_full_disk


class DiskFull(TrialFailure):
    """The disk of the data folder, or of the container engine, has no space left."""

    code = "disk_full"
    title = "The disk is full"
    cause = FailureCause.INFRASTRUCTURE


def find_full_disk(error: Exception, data: Path, runtime: RuntimeKind) -> DiskFull | None:
    """Return the failure by a full disk that caused `error`, or None.

    Tacho's own files are in the data folder, as are builds of the process runtime. The container
    engine has a disk of its own, where the output of a build was written.
    """
    if any(
        isinstance(cause, OSError) and cause.errno in DISK_FULL_ERRORS
        for cause in _list_causes(error)
    ):
        return DiskFull(f"A file could not be written: {explain_full_disk(data)}.")
    log = str(error.fields.get("log", "")) if isinstance(error, TachoError) else ""
    if not mentions_full_disk(log):
        return None
    if runtime is RuntimeKind.DOCKER:
        return DiskFull("The disk of the container engine is full. Free some space there.")
    return DiskFull(f"A program could not write its files: {explain_full_disk(data)}.")


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes, each once: errors may be each other's cause."""
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__
