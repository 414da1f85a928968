"""The sources of a scenario as a bench host has them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class HostScenario(Base):
    """A row of a host is written by the host's own worker only."""

    __tablename__ = "host_scenario"
    __table_args__ = (UniqueConstraint("host_id", "slug", postgresql_nulls_not_distinct=True),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # Null for the services folder of the installation itself, which `tacho migrate` reads.
    host_id: Mapped[UUID | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    slug: Mapped[str]
    digest: Mapped[str]
    manifest: Mapped[dict[str, object]]
    # Position in the catalogue of the host.
    position: Mapped[int]
    # Time since which its files and its manifest are as they are.
    registered_at: Mapped[datetime] = mapped_column(server_default=func.now())
