"""An entry of the audit log. The database refuses to change one, and to delete a recent one."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.documents import JsonObject


class AuditEvent(Base):
    __tablename__ = "audit_event"
    __table_args__ = (
        Index("ix_audit_event_workspace_id_at_id", "workspace_id", "at", "id"),
        Index("ix_audit_event_at_id", "at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Without foreign keys, because the log outlives users, tokens and workspaces. Null: the
    # installation, such as a change of a user by an operator.
    workspace_id: Mapped[UUID | None]
    user_id: Mapped[UUID | None]
    token_id: Mapped[UUID | None]
    # The author of the change, for people, such as an e-mail address or the name of a token.
    actor: Mapped[str]
    address: Mapped[str | None]
    # The kind of change, such as `run.created`, and the changed row.
    action: Mapped[str]
    subject_type: Mapped[str]
    subject_id: Mapped[str]
    # The changed values before and after.
    before: Mapped[JsonObject | None] = mapped_column(JSONB(none_as_null=True))
    after: Mapped[JsonObject | None] = mapped_column(JSONB(none_as_null=True))
