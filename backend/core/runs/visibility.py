"""Decide which runs a viewer may see. No other module contains this rule.

A public run is listed. An unlisted run can be opened by its id or slug, but no page lists, links
to or counts it. A private run is visible only to viewers who may make changes (trusted).
"""

from sqlalchemy import ColumnElement

from backend.core.models import Run
from backend.core.statuses import Visibility

STRICTEST_FIRST = (Visibility.PRIVATE, Visibility.UNLISTED, Visibility.PUBLIC)


def list_listed(*, is_trusted: bool) -> tuple[Visibility, ...]:
    """Return the visibilities of runs that pages list, link to and count for a viewer."""
    return STRICTEST_FIRST if is_trusted else (Visibility.PUBLIC,)


def list_readable(*, is_trusted: bool) -> tuple[Visibility, ...]:
    """Return the visibilities of runs that a viewer may open by their exact id or slug."""
    return STRICTEST_FIRST if is_trusted else (Visibility.UNLISTED, Visibility.PUBLIC)


def is_listed_run(*, is_trusted: bool) -> ColumnElement[bool]:
    """Return the SQL condition for runs that pages list, link to and count for a viewer."""
    return Run.visibility.in_(list_listed(is_trusted=is_trusted))


def is_readable(visibility: Visibility, *, is_trusted: bool) -> bool:
    """Return whether a viewer may open a run of this visibility by its exact id or slug."""
    return visibility in list_readable(is_trusted=is_trusted)
