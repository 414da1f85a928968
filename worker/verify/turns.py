"""Orders the frameworks for CI, which has no time to verify all of them."""

import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backend.core.catalog.folders import Catalogue

_RECENT = timedelta(days=2)
# CI verifies about this many per day, so each is verified within a week or two.
_A_DAY = 3


def order_by_turn(changed: Mapping[str, datetime | None], now: datetime) -> list[str]:
    """Return slugs changed in the last two days, newest first; then the others in daily turns.

    Args:
        changed: time of the last change by slug; None if it is not known.
        now: the present time, with a time zone.
    """
    recent = {slug: at for slug, at in changed.items() if at is not None and now - at < _RECENT}
    others = sorted(set(changed) - set(recent))
    first = now.date().toordinal() * _A_DAY % len(others) if others else 0
    newest_first = sorted(recent, key=lambda slug: recent[slug], reverse=True)
    return [*newest_first, *others[first:], *others[:first]]


def read_changes(catalogue: Catalogue) -> dict[str, datetime | None]:
    """Return the time of the last commit on each framework's folder; None outside a clone."""
    return {slug: _read_change(source.folder) for slug, (_, source) in catalogue.frameworks.items()}


def _read_change(folder: Path) -> datetime | None:
    try:
        output = subprocess.run(
            ["git", "log", "-1", "--format=%ct", "--", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
    except OSError:
        return None
    return datetime.fromtimestamp(int(output), UTC) if output else None
