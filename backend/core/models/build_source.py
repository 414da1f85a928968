"""The source of a build on a bench host: its files, and the versions of its manifest."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.documents import SourceFile
from backend.core.models.document import PlainDocument


class BuildSource(Base):
    """A row of a host is written by the host's own worker only."""

    __tablename__ = "build_source"

    host_id: Mapped[UUID] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    # Content digest of the build, as in `builds` of a trial's environment.
    digest: Mapped[str] = mapped_column(primary_key=True)
    program: Mapped[str]
    # Versions of language, runtime and framework, by name.
    versions: Mapped[dict[str, str]] = mapped_column(PlainDocument(dict[str, str]))
    files: Mapped[list[SourceFile]] = mapped_column(PlainDocument(list[SourceFile]))
    recorded_at: Mapped[datetime] = mapped_column(server_default=func.now())
