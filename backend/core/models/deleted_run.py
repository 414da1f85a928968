"""The table `deleted_run`: deleted runs whose trials are not deleted yet."""

from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class DeletedRun(Base):
    """A large run that was deleted. The dispatcher deletes its trials, then this row."""

    __tablename__ = "deleted_run"

    id: Mapped[UUID] = mapped_column(primary_key=True)
