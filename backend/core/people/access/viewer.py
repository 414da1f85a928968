"""The reader of data; pure. core.runs.visibility decides what a viewer may see."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Viewer:
    """The reader of a page: everything about a caller that decides what a page shows.

    Equal viewers see the same, so callers with equal viewers may share a computation.

    Attributes:
        workspace: the workspace whose data lists, histories and counts show. None: the public runs
            of all workspaces.
        memberships: the workspaces whose private runs the viewer may open.
        is_installation: a part of Tacho, which sees everything.
    """

    workspace: UUID | None = None
    memberships: frozenset[UUID] = frozenset()
    is_installation: bool = False

    @property
    def is_member(self) -> bool:
        """Return whether the viewer sees a workspace from inside."""
        return self.workspace is not None or self.is_installation


# Anonymous visitors, and the parts of Tacho themselves.
PUBLIC = Viewer()
INSTALLATION = Viewer(is_installation=True)
