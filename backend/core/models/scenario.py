"""A scenario of the catalogue, mirrored from its manifest."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Scenario(Base):
    __tablename__ = "scenario"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    manifest: Mapped[dict[str, object]]
    digest: Mapped[str]
    present: Mapped[bool] = mapped_column(default=True, server_default="true")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
