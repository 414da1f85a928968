"""The reader of data; pure. core.runs.visibility decides what a viewer may see."""

from dataclasses import dataclass
from uuid import UUID

_PUBLIC = "public"


@dataclass(frozen=True)
class Viewer:
    """The reader of a page.

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

    @property
    def variant(self) -> str:
        """Return which variant of a document the viewer gets. Equal for equal views."""
        if self.is_installation:
            return "all"
        return _PUBLIC if self.workspace is None else str(self.workspace)


# Anonymous visitors, and the parts of Tacho themselves.
PUBLIC = Viewer()
INSTALLATION = Viewer(is_installation=True)


def find_viewer(variant: str) -> Viewer | None:
    """Return a viewer of a workspace or of the public runs who gets this variant of lists."""
    if variant == _PUBLIC:
        return PUBLIC
    try:
        return Viewer(UUID(variant))
    except ValueError:
        return None
