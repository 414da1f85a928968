"""The catalogue: frameworks, scenarios, studies, and the sources of builds."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.documents import FrameworkDocument, SourceFile
from backend.core.models.document import PlainDocument


class Framework(Base):
    """A framework of the catalogue, mirrored from its manifest."""

    __tablename__ = "framework"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    language: Mapped[str]
    manifest: Mapped[FrameworkDocument] = mapped_column(PlainDocument(FrameworkDocument))
    digest: Mapped[str]
    # Index of the mark (core/catalog/colours.py). It is chosen once, so a framework keeps it.
    colour: Mapped[int]
    # False after its folder is removed; its results stay readable.
    present: Mapped[bool] = mapped_column(default=True, server_default="true")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class Scenario(Base):
    """A scenario of the catalogue, mirrored from its manifest."""

    __tablename__ = "scenario"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    manifest: Mapped[dict[str, object]]
    digest: Mapped[str]
    present: Mapped[bool] = mapped_column(default=True, server_default="true")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class Study(Base):
    """A published study, mirrored from its manifest."""

    __tablename__ = "study"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    # Position in lists.
    position: Mapped[int]
    manifest: Mapped[dict[str, object]]
    present: Mapped[bool] = mapped_column(default=True, server_default="true")
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class BuildSource(Base):
    """The source of a build on a bench host: its files, and the versions of its manifest.

    A row of a host is written by the host's own worker only.
    """

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
