"""An access token of a user or a workspace, for scripts."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, String, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.user import User
from backend.core.models.workspace import Workspace
from backend.core.statuses import TokenScope


class AccessToken(Base):
    __tablename__ = "access_token"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    # The first characters, by which people recognise the token.
    prefix: Mapped[str]
    # SHA-256 of the token, in hexadecimal. The token is random, shown once and stored nowhere.
    key_hash: Mapped[str] = mapped_column(unique=True)
    # A personal token belongs to a user and never has more rights than the user's role. A token
    # without a user belongs to the workspace and stays when its creator leaves.
    workspace_id: Mapped[UUID] = mapped_column(
        ForeignKey("workspace.id", ondelete="CASCADE"), index=True
    )
    user_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), index=True
    )
    created_by_id: Mapped[UUID | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    scope: Mapped[TokenScope]
    # Names of hosts and slugs of frameworks that its runs may use; null for all.
    hosts: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    frameworks: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    last_address: Mapped[str | None]

    user: Mapped[User | None] = relationship(lazy="raise", foreign_keys=user_id)
    workspace: Mapped[Workspace] = relationship(lazy="raise")
