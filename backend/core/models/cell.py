"""A cell of a run: one framework × scenario × profile × parameters."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import Builds, Parameters
from backend.core.models.document import PlainDocument
from backend.core.models.framework import Framework
from backend.core.models.scenario import Scenario
from backend.core.units import ProfileKind


class Cell(Base):
    __tablename__ = "cell"
    __table_args__ = (
        # Hold the runs, so that listing the runs with a framework or scenario needs only them.
        Index("ix_cell_framework_id_run_id", "framework_id", "run_id"),
        Index("ix_cell_scenario_id_run_id", "scenario_id", "run_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    position: Mapped[int]
    framework_id: Mapped[UUID] = mapped_column(ForeignKey("framework.id"))
    scenario_id: Mapped[UUID] = mapped_column(ForeignKey("scenario.id"))
    # Digests when the run was requested: a later change of the catalogue starts another series.
    framework_digest: Mapped[str]
    scenario_digest: Mapped[str]
    profile: Mapped[str]
    kind: Mapped[ProfileKind]
    parameters: Mapped[Parameters] = mapped_column(PlainDocument(Parameters))
    # Content digest of the build to use, by program slug, as in a trial's environment;
    # null builds the program from the catalogue.
    builds: Mapped[Builds | None] = mapped_column(PlainDocument(Builds))

    framework: Mapped[Framework] = relationship(lazy="raise")
    scenario: Mapped[Scenario] = relationship(lazy="raise")
