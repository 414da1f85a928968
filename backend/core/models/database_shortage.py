"""The disk of the database has too little free space for trials: a table with at most one row.

The dispatcher writes it again and again while the shortage lasts, so an old row means nothing.
"""

from datetime import datetime

from sqlalchemy import CheckConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class DatabaseShortage(Base):
    __tablename__ = "database_shortage"
    __table_args__ = (CheckConstraint("id = 1", "only_row"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # How much space is free and how much is needed, and what to do.
    detail: Mapped[str]
    reported_at: Mapped[datetime] = mapped_column(server_default=func.now())
