"""Which runs a viewer may see: the only place that knows what the three visibilities mean.

A public run is listed. An unlisted run opens for anyone who has its id or slug, and nothing else
shows, links or counts it. A private run exists only for viewers who may make changes (trusted).
"""

from sqlalchemy import ColumnElement

from backend.core.models import Run

STRICTEST_FIRST = ("private", "unlisted", "public")


def list_listed(*, is_trusted: bool) -> tuple[str, ...]:
    """Return the visibilities of the runs that a viewer's pages list, link to and count."""
    return STRICTEST_FIRST if is_trusted else ("public",)


def list_readable(*, is_trusted: bool) -> tuple[str, ...]:
    """Return the visibilities of the runs that a viewer may open by their exact id or slug."""
    return STRICTEST_FIRST if is_trusted else ("unlisted", "public")


def is_listed_run(*, is_trusted: bool) -> ColumnElement[bool]:
    """Return the SQL condition that a viewer's pages list, link to and count a run."""
    return Run.visibility.in_(list_listed(is_trusted=is_trusted))


def is_readable(visibility: str, *, is_trusted: bool) -> bool:
    """Return whether a viewer may open a run of this visibility by its exact id or slug."""
    return visibility in list_readable(is_trusted=is_trusted)
