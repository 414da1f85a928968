"""People and workspaces: accounts, sessions, memberships, tokens, links and the audit log."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import ARRAY, CheckConstraint, ForeignKey, Index, String, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import JsonObject
from backend.core.statuses import LinkPurpose, Role, TokenScope


class Workspace(Base):
    """A workspace: a team's runs, schedules, webhooks, SLOs, snapshots, changes and histories."""

    __tablename__ = "workspace"
    __table_args__ = (
        CheckConstraint("max_queued_trials >= 0", "queued_trials"),
        CheckConstraint("max_bench_minutes >= 0", "bench_minutes"),
        CheckConstraint("seconds_days > 0", "seconds_days"),
        CheckConstraint("logs_days > 0", "logs_days"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # Name in addresses and in the header Tacho-Workspace.
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    # None: the limit of the installation. 0: no limit.
    max_queued_trials: Mapped[int | None]
    max_bench_minutes: Mapped[int | None]
    # Days for which the workspace keeps seconds and logs. None: those of the installation.
    seconds_days: Mapped[int | None]
    logs_days: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class User(Base):
    """A person who signs in."""

    __tablename__ = "user"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # In lower case.
    email: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    # Argon2id; null for a person who only signs in through an identity provider.
    password_hash: Mapped[str | None]
    # An operator manages hosts, catalogue, users and workspaces of the installation.
    is_operator: Mapped[bool] = mapped_column(default=False, server_default="false")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # A disabled user cannot sign in, and the user's sessions and tokens do not work.
    disabled_at: Mapped[datetime | None]


class Identity(Base):
    """A user's account at an OpenID Connect provider."""

    __tablename__ = "identity"

    # The claims `iss` and `sub` of the provider's ID token.
    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class AuditEvent(Base):
    """An entry of the audit log. The database refuses to change one, and to delete a recent one."""

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


class OneTimeLink(Base):
    """A one-time link.

    It creates the first operator, accepts an invitation, resets a password, or lets a host join.
    """

    __tablename__ = "one_time_link"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    purpose: Mapped[LinkPurpose]
    # SHA-256 of the key in the link, in hexadecimal. The key is random and stored nowhere.
    key_hash: Mapped[str] = mapped_column(unique=True)
    # The invited person, or null if anyone with the link may use it.
    email: Mapped[str | None]
    # Of an invitation.
    workspace_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("workspace.id", ondelete="CASCADE"), index=True
    )
    role: Mapped[Role | None]
    # The user whose password is reset.
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    # The name of the bench host that joins.
    host_name: Mapped[str | None]
    created_by_id: Mapped[UUID | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    workspace: Mapped[Workspace | None] = relationship(lazy="raise")


class UserSession(Base):
    """A signed-in browser."""

    __tablename__ = "user_session"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # SHA-256 of the cookie's value, in hexadecimal. The value is random and stored nowhere.
    key_hash: Mapped[str] = mapped_column(unique=True)
    # Null for a browser that signed in with TACHO_TOKEN.
    user_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), index=True
    )
    # SHA-256 of the TACHO_TOKEN that the browser signed in with: another token ends the session.
    token_hash: Mapped[str | None]
    # The workspace that the browser shows; null for the first one of the user.
    workspace_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("workspace.id", ondelete="SET NULL")
    )
    address: Mapped[str]
    user_agent: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(index=True)

    user: Mapped[User | None] = relationship(lazy="raise")


class Membership(Base):
    """A user's role in a workspace."""

    __tablename__ = "membership"

    workspace_id: Mapped[UUID] = mapped_column(
        ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[Role]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    user: Mapped[User] = relationship(lazy="raise")
    workspace: Mapped[Workspace] = relationship(lazy="raise")


class AccessToken(Base):
    """An access token of a user or a workspace, for scripts."""

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
    # Names of the own services to which the token is restricted; null for no restriction.
    services: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    last_address: Mapped[str | None]

    user: Mapped[User | None] = relationship(lazy="raise", foreign_keys=user_id)
    workspace: Mapped[Workspace] = relationship(lazy="raise")

    @property
    def owner(self) -> Literal["me", "workspace"]:
        """Return whether it belongs to a user or to the workspace."""
        return "workspace" if self.user_id is None else "me"
