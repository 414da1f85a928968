"""A comparison as it was when someone kept it: never changed, found by its content's hash."""

from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class Comparison(Base):
    __tablename__ = "comparison"

    # SHA-256 of the document's UTF-8 bytes, in hexadecimal.
    hash: Mapped[str] = mapped_column(primary_key=True)
    # Canonical JSON, as text: JSONB would write its numbers and keys anew.
    document: Mapped[str]
    # It holds numbers of a private run, so only who may write sees it.
    is_private: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
