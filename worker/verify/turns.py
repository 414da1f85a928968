"""Which frameworks come first where there is not time for all: CI's minutes go to these."""

import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backend.core.catalog.folders import Catalogue

_RECENT = timedelta(days=2)
# About as many as CI gets through in its minutes: so each has its turn within a week or two.
_A_DAY = 3


def order_by_turn(changed: Mapping[str, datetime | None], now: datetime) -> list[str]:
    """What changed in the last two days, newest first; then the others, by turns from day to day.

    Args:
        changed: slug to when its folder was last changed, None where that is not known.
        now: with a time zone.
    """
    recent = {slug: at for slug, at in changed.items() if at is not None and now - at < _RECENT}
    others = sorted(set(changed) - set(recent))
    first = now.date().toordinal() * _A_DAY % len(others) if others else 0
    newest_first = sorted(recent, key=lambda slug: recent[slug], reverse=True)
    return [*newest_first, *others[first:], *others[:first]]


def read_changes(catalogue: Catalogue) -> dict[str, datetime | None]:
    """Slug to the time of the last commit on its folder; None outside a clone."""
    return {slug: _read_change(source.folder) for slug, (_, source) in catalogue.frameworks.items()}


def _read_change(folder: Path) -> datetime | None:
    try:
        said = subprocess.run(
            ["git", "log", "-1", "--format=%ct", "--", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
    except OSError:
        return None
    return datetime.fromtimestamp(int(said), UTC) if said else None
