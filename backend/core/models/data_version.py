"""The versions of data that many documents depend on, kept by triggers of the database."""

from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class DataVersion(Base):
    """One change of a topic, such as `catalogue` or `results:hello`.

    The visible rows of a topic are its version. A transaction that changes the data inserts a row
    and deletes the rows that it sees, except those that another transaction is deleting. So no
    transaction waits for another, and a version never comes back.
    """

    __tablename__ = "data_version"

    id: Mapped[UUID] = mapped_column(primary_key=True, server_default=func.gen_random_uuid())
    topic: Mapped[str] = mapped_column(index=True)
