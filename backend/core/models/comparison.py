"""A comparison as it was when someone kept it: never changed, found by its content's hash."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class Comparison(Base):
    __tablename__ = "comparison"

    # SHA-256 of the document's UTF-8 bytes, in hexadecimal.
    hash: Mapped[str] = mapped_column(primary_key=True)
    # Canonical JSON, as text: JSONB would write its numbers and keys anew.
    document: Mapped[str]
    # The runs whose numbers it holds. Who sees them sees it; of one that is gone, whether it was
    # private when somebody last asked to keep this.
    run_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    is_private: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
