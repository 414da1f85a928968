"""Checks the names of files for a pod."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from worker.runtime.errors import RuntimeFailure


def check_file_names(names: Iterable[str]) -> None:
    """Raise `RuntimeFailure` for a name that leads outside the folder."""
    for name in names:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise RuntimeFailure(f"{name!r} is not a relative path inside the trial's folder.")
