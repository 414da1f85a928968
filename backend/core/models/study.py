"""A published study, mirrored from its manifest."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Study(Base):
    __tablename__ = "study"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    # Position in lists.
    position: Mapped[int]
    manifest: Mapped[dict[str, object]]
    present: Mapped[bool] = mapped_column(default=True, server_default="true")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
