"""Exchange the folders of two clusters, and notice an exchange that was interrupted.

Two renames are not one step. If the process is killed between them, the data folder has no cluster.
Then nothing may create an empty one, because it would hide the data in the other folder.
"""

import re
from pathlib import Path

from backend.platform.errors import PlatformError
from backend.platform.layout import Layout

# Followed by the time of the exchange. A cluster of a failed upgrade has a suffix.
_FORMER = "postgres-{version}-{moment}"
_FORMER_PATTERN = re.compile(r"postgres-(?P<version>\d+)-(?P<moment>[0-9TZ-]+)")


def exchange_clusters(current: Path, former: Path, new: Path) -> None:
    """Move the current cluster to `former`, and the new one to its place. No server may run."""
    current.rename(former)
    new.rename(current)


def name_former(layout: Layout, version: int, moment: str) -> Path:
    """Return the folder for a cluster that is replaced."""
    return layout.data / _FORMER.format(version=version, moment=moment)


def refuse_interrupted(layout: Layout) -> None:
    """Check that no earlier cluster waits for its place. The data folder must have no cluster.

    Raises:
        PlatformError: there is one. The detail has the command that puts it back.
    """
    found = [
        (match["moment"], match["version"], folder)
        for folder in layout.data.glob("postgres-*")
        if (match := _FORMER_PATTERN.fullmatch(folder.name)) and (folder / "PG_VERSION").exists()
    ]
    if not found:
        return
    _, version, folder = max(found)
    raise PlatformError(
        f"{layout.database} has no database, but {folder} has one of PostgreSQL {version}. "
        "An upgrade was probably interrupted. Nothing was changed. Put the database back and "
        "upgrade again:\n"
        f"  mv {folder} {layout.database}\n"
        "  tacho upgrade\n"
        f"To begin with an empty database instead, move {folder} out of {layout.data}."
    )
