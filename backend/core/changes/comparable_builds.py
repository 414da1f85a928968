"""The builds that a confirmation run may still compare. A bench host may run it."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.core.changes.detection import WINDOW_POINTS
from backend.core.documents import Builds


def list_comparable_builds(
    session: Session, host_id: UUID, frameworks: Collection[str]
) -> Sequence[Builds]:
    """Return the digests of builds, by program, of open changes and of the newest results.

    A new change is among the newest 30 points of its series, and its earlier build is that of one
    of the four points before it. Results that are not in a series are counted as well, so the
    newest `WINDOW_POINTS` are taken. A function of the database finds them, because a bench host
    cannot see ended trials.

    Args:
        frameworks: slugs of the frameworks that the host has. Others cannot be measured again.
    """
    found = func.list_comparable_builds(host_id, list(frameworks), WINDOW_POINTS)
    # Trials of older versions have no builds.
    return [builds for builds in session.scalars(select(found)) if builds]
