"""A framework of the catalogue, mirrored from its manifest."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.documents import FrameworkDocument
from backend.core.models.document import PlainDocument


class Framework(Base):
    __tablename__ = "framework"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    language: Mapped[str]
    manifest: Mapped[FrameworkDocument] = mapped_column(PlainDocument(FrameworkDocument))
    digest: Mapped[str]
    # Index into the series colours of the UI; assigned once, so a framework keeps its colour.
    colour: Mapped[int]
    # False after its folder is removed; its results stay readable.
    present: Mapped[bool] = mapped_column(default=True, server_default="true")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
