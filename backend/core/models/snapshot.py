"""A saved comparison. Its name is the hash of its content when it was saved. Only an upgrade of
Tacho changes it, by renaming fields.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, Uuid, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class Snapshot(Base):
    __tablename__ = "snapshot"

    # SHA-256 of the document's UTF-8 bytes when it was saved, in hexadecimal.
    hash: Mapped[str] = mapped_column(primary_key=True)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    # Canonical JSON as text, because JSONB would reformat numbers and reorder keys.
    document: Mapped[str]
    # The runs whose numbers it holds. A viewer who may open all of them may open the snapshot.
    run_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    # The workspaces of those of its runs that were private when they were deleted. A trigger of the
    # table `run` adds them.
    private_owners: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), server_default="{}")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
