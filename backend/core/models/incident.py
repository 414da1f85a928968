"""An incident: the changes that came with one build on one host, or with one shift of a host."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import BuildPair
from backend.core.models.document import PlainDocument
from backend.core.models.host import Host
from backend.core.statuses import IncidentKind


class Incident(Base):
    __tablename__ = "incident"
    __table_args__ = (
        Index("ix_incident_at_id", "at", "id"),
        Index("ix_incident_workspace_id_at_id", "workspace_id", "at", "id"),
        Index("ix_incident_host_id_framework_at", "host_id", "framework", "at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"))
    kind: Mapped[IncidentKind]
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    # Slug; null for a shift of the host.
    framework: Mapped[str | None]
    # Creation time of the first run at a new level.
    at: Mapped[datetime]
    # The programs whose build differs, by slug. Empty if the builds are equal or unknown.
    builds: Mapped[dict[str, BuildPair]] = mapped_column(
        PlainDocument(dict[str, BuildPair]), default=dict, server_default="{}"
    )
    note: Mapped[str | None]
    # Time of the webhook message about it.
    announced_at: Mapped[datetime | None]
    found_at: Mapped[datetime] = mapped_column(server_default=func.now())

    host: Mapped[Host] = relationship(lazy="raise")
