"""accounts, workspaces, tokens and the audit log; existing data moves into a first workspace"""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision: str = "d17a5c0f3e82"
down_revision: str | None = "b64e0f7a2c19"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_ROLES = "'viewer', 'member', 'maintainer', 'owner'"
_OWNED = ("run", "schedule", "webhook", "slo", "snapshot", "change", "incident", "host_event")
_APPEND_ONLY = """
CREATE FUNCTION audit_event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < now() - interval '30 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Entries of the audit log cannot be changed, or deleted within 30 days.'
        USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_event_is_append_only BEFORE UPDATE OR DELETE ON audit_event
    FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only();
CREATE TRIGGER audit_event_is_not_truncated BEFORE TRUNCATE ON audit_event
    EXECUTE FUNCTION audit_event_is_append_only();
"""


def upgrade() -> None:
    _create_users()
    _create_sessions_and_keys()
    _create_audit_log()
    first = uuid4()
    workspace = sa.table("workspace", sa.column("id"), sa.column("slug"), sa.column("name"))
    op.execute(workspace.insert().values(id=first, slug="main", name="Main"))
    for table in _OWNED:
        _add_workspace(table, f"'{first}'")
    _add_workspace("cell_summary", f"'{first}'")
    op.drop_constraint("uq_run_idempotency_key", "run")
    op.create_unique_constraint(
        op.f("uq_run_workspace_id"), "run", ["workspace_id", "idempotency_key"]
    )
    op.drop_index(op.f("ix_run_workspace_id"), "run")
    op.create_index(
        "ix_run_workspace_id_created_at_id", "run", ["workspace_id", "created_at", "id"]
    )


def downgrade() -> None:
    op.drop_constraint(op.f("uq_run_workspace_id"), "run")
    op.create_unique_constraint("uq_run_idempotency_key", "run", ["idempotency_key"])
    for table in (*_OWNED, "cell_summary"):
        op.drop_column(table, "workspace_id")
    op.drop_table("audit_event")
    op.execute("DROP FUNCTION audit_event_is_append_only()")
    for table in ("one_time_link", "access_token", "user_session", "membership", "identity"):
        op.drop_table(table)
    op.drop_table("workspace")
    op.drop_table("user")


def _create_users() -> None:
    op.create_table(
        "user",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("is_operator", sa.Boolean(), server_default="false", nullable=False),
        _now("created_at"),
        _time("disabled_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
        sa.UniqueConstraint("email", name=op.f("uq_user_email")),
    )
    op.create_table(
        "identity",
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        _now("created_at"),
        _reference("identity", "user_id", "user", "CASCADE"),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identity")),
    )
    op.create_index(op.f("ix_identity_user_id"), "identity", ["user_id"])
    op.create_table(
        "workspace",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        _now("created_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace")),
        sa.UniqueConstraint("slug", name=op.f("uq_workspace_slug")),
    )
    op.create_table(
        "membership",
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        _now("created_at"),
        _reference("membership", "workspace_id", "workspace", "CASCADE"),
        _reference("membership", "user_id", "user", "CASCADE"),
        sa.PrimaryKeyConstraint("workspace_id", "user_id", name=op.f("pk_membership")),
    )
    op.create_check_constraint("role", "membership", f"role IN ({_ROLES})")
    op.create_index(op.f("ix_membership_user_id"), "membership", ["user_id"])


def _create_sessions_and_keys() -> None:
    op.create_table(
        "user_session",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("token_hash", sa.String(), nullable=True),
        sa.Column("workspace_id", sa.Uuid(), nullable=True),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("user_agent", sa.String(), nullable=False),
        _now("created_at"),
        _now("last_seen_at"),
        _time("expires_at", nullable=False),
        _reference("user_session", "user_id", "user", "CASCADE"),
        _reference("user_session", "workspace_id", "workspace", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_session")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_user_session_key_hash")),
    )
    op.create_index(op.f("ix_user_session_user_id"), "user_session", ["user_id"])
    op.create_index(op.f("ix_user_session_expires_at"), "user_session", ["expires_at"])
    op.create_table(
        "access_token",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("hosts", ARRAY(sa.String()), nullable=True),
        sa.Column("frameworks", ARRAY(sa.String()), nullable=True),
        _now("created_at"),
        _time("expires_at"),
        _time("revoked_at"),
        _time("last_used_at"),
        sa.Column("last_address", sa.String(), nullable=True),
        _reference("access_token", "workspace_id", "workspace", "CASCADE"),
        _reference("access_token", "user_id", "user", "CASCADE"),
        _reference("access_token", "created_by_id", "user", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_token")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_access_token_key_hash")),
    )
    op.create_check_constraint("tokenscope", "access_token", "scope IN ('read', 'run', 'manage')")
    op.create_index(op.f("ix_access_token_workspace_id"), "access_token", ["workspace_id"])
    op.create_index(op.f("ix_access_token_user_id"), "access_token", ["user_id"])
    op.create_table(
        "one_time_link",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("workspace_id", sa.Uuid(), nullable=True),
        sa.Column("role", sa.String(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("created_by_id", sa.Uuid(), nullable=True),
        _now("created_at"),
        _time("expires_at", nullable=False),
        _time("used_at"),
        _reference("one_time_link", "workspace_id", "workspace", "CASCADE"),
        _reference("one_time_link", "user_id", "user", "CASCADE"),
        _reference("one_time_link", "created_by_id", "user", "SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_one_time_link")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_one_time_link_key_hash")),
    )
    op.create_check_constraint(
        "linkpurpose",
        "one_time_link",
        "purpose IN ('first_operator', 'invitation', 'password_reset')",
    )
    op.create_check_constraint("role", "one_time_link", f"role IN ({_ROLES})")
    op.create_index(op.f("ix_one_time_link_workspace_id"), "one_time_link", ["workspace_id"])


def _create_audit_log() -> None:
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Uuid(), nullable=False),
        _now("at"),
        sa.Column("workspace_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("token_id", sa.Uuid(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject_type", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("before", JSONB, nullable=True),
        sa.Column("after", JSONB, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_event")),
    )
    op.create_index(
        "ix_audit_event_workspace_id_at_id", "audit_event", ["workspace_id", "at", "id"]
    )
    op.create_index("ix_audit_event_at_id", "audit_event", ["at", "id"])
    op.execute(_APPEND_ONLY)


def _add_workspace(table: str, first: str) -> None:
    # A constant default fills existing rows without rewriting the table.
    op.add_column(
        table,
        sa.Column("workspace_id", sa.Uuid(), server_default=sa.text(first), nullable=False),
    )
    op.alter_column(table, "workspace_id", server_default=None)
    op.create_foreign_key(
        op.f(f"fk_{table}_workspace_id_workspace"),
        table,
        "workspace",
        ["workspace_id"],
        ["id"],
    )
    op.create_index(op.f(f"ix_{table}_workspace_id"), table, ["workspace_id"])


def _reference(table: str, column: str, target: str, on_delete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{target}.id"], name=op.f(f"fk_{table}_{column}_{target}"), ondelete=on_delete
    )


def _time(name: str, *, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _now(name: str) -> sa.Column[Any]:
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )
