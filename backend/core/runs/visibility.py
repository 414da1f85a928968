"""Decide which runs a viewer may see. No other module contains this rule.

A private run is visible only to members of its workspace. Anyone may open an unlisted run by its id
or slug, but outside of its workspace no page lists, links to or counts it. A public run is listed
for visitors of the installation too. The lists of a workspace contain only its own runs.
"""

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ColumnElement, true

from backend.core.models import Run
from backend.core.people.access.viewer import Viewer
from backend.core.statuses import Visibility

if TYPE_CHECKING:
    from sqlalchemy.orm.util import AliasedClass

STRICTEST_FIRST = (Visibility.PRIVATE, Visibility.UNLISTED, Visibility.PUBLIC)


def lists(viewer: Viewer, workspace_id: UUID, visibility: Visibility) -> bool:
    """Return whether pages list, link to and count such a run for a viewer."""
    if viewer.is_installation:
        return True
    if viewer.workspace is not None:
        return workspace_id == viewer.workspace
    return visibility == Visibility.PUBLIC


def may_open(viewer: Viewer, workspace_id: UUID, visibility: Visibility) -> bool:
    """Return whether a viewer may open such a run by its exact id or slug."""
    if viewer.is_installation or visibility != Visibility.PRIVATE:
        return True
    return workspace_id in viewer.memberships


def is_listed(viewer: Viewer, run: "type[Run] | AliasedClass[Run]" = Run) -> ColumnElement[bool]:
    """Return the SQL condition of `lists`."""
    if viewer.is_installation:
        return true()
    if viewer.workspace is not None:
        return run.workspace_id == viewer.workspace
    return run.visibility == Visibility.PUBLIC


def is_open(viewer: Viewer, run: "type[Run] | AliasedClass[Run]" = Run) -> ColumnElement[bool]:
    """Return the SQL condition of `may_open`."""
    if viewer.is_installation:
        return true()
    return (run.visibility != Visibility.PRIVATE) | run.workspace_id.in_(viewer.memberships)


def write_is_listed(viewer: Viewer) -> tuple[str, dict[str, object]]:
    """Return the condition of `lists` on the table `run` as text, with its parameters."""
    if viewer.is_installation:
        return "true", {}
    if viewer.workspace is not None:
        return "run.workspace_id = %(workspace)s", {"workspace": viewer.workspace}
    return f"run.visibility = '{Visibility.PUBLIC}'", {}
