"""The log of one part of a trial: build, service, backing service or load generator."""

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class TrialLog(Base):
    __tablename__ = "trial_log"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    name: Mapped[str] = mapped_column(primary_key=True)
    content: Mapped[str]
