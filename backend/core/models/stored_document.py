"""A response that is stored ready to send."""

from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class StoredDocument(Base):
    __tablename__ = "stored_document"
    # Every document can be computed again, so the table needs no write-ahead log.
    __table_args__ = ({"prefixes": ["UNLOGGED"]},)

    # Subject of the document, and a digest of the request.
    key: Mapped[str] = mapped_column(primary_key=True)
    # Version of everything that may change the document; see core.stored_documents.
    version: Mapped[str]
    # Text is compressed with gzip.
    body: Mapped[bytes]
    stored_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
