"""How long the installation keeps seconds and logs: a table with one row."""

from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class RetentionSetting(Base):
    __tablename__ = "retention_setting"
    __table_args__ = (
        CheckConstraint("id = 1", "only_row"),
        CheckConstraint("seconds_days > 0", "seconds_days"),
        CheckConstraint("logs_days > 0", "logs_days"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # None: for ever.
    seconds_days: Mapped[int | None]
    logs_days: Mapped[int | None]
