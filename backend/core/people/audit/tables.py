"""Which tables the audit log covers, which of their columns, and the names of the actions; pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from backend.core.db import Base
from backend.core.models import (
    AccessToken,
    Change,
    Host,
    Identity,
    Incident,
    Membership,
    OneTimeLink,
    RequestedGuard,
    RetentionSetting,
    Run,
    Schedule,
    Slo,
    Snapshot,
    StoredGuard,
    User,
    UserSession,
    Webhook,
    Workspace,
)


class Act(StrEnum):
    """The kinds of changes of a row."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


_ALL_ACTS = frozenset(Act)


def _is_set(value: object) -> bool:
    return value is not None


@dataclass(frozen=True)
class AuditedTable:
    """How the audit log covers a table.

    Attributes:
        subject: type of the subject in entries.
        names: columns by which people recognise a row. Every entry has them, before and after.
        values: further columns of new and deleted rows. A change of one of them is an entry.
        secrets: columns whose change is an entry, without any value.
        acts: what makes an entry.
        actions: names of actions that are not `<subject>.<act>`.
        readings: how to read columns whose raw value is not what people changed.
        key: the column with the id of the subject.
        user: the column with a user whose e-mail address is one of the names.
        is_of_workspace: whether an entry belongs to the row's workspace, or to the installation.
    """

    subject: str
    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    acts: frozenset[Act] = _ALL_ACTS
    actions: Mapping[Act, str] | None = None
    readings: Mapping[str, tuple[str, Callable[[object], object]]] | None = None
    key: str = "id"
    user: str | None = None
    is_of_workspace: bool = True

    def name_action(self, act: Act) -> str:
        """Return the name of an action, such as `run.created`."""
        return (self.actions or {}).get(act, f"{self.subject}.{act}")

    def read(self, column: str, value: object) -> tuple[str, object]:
        """Return name and value of a column as entries show it."""
        name, read = (self.readings or {}).get(column, (column, lambda raw: raw))
        return name, read(value)

    def find_workspace(self, row: Base) -> UUID | None:
        """Return the workspace that an entry about a row belongs to; None: the installation."""
        return getattr(row, "workspace_id", None) if self.is_of_workspace else None


AUDITED: Mapping[type[Base], AuditedTable] = {
    Run: AuditedTable("run", ("slug",), ("title", "visibility", "cancel_requested_at", "purpose")),
    Schedule: AuditedTable(
        "schedule",
        ("name",),
        ("cron", "time_zone", "request", "next_at"),
        # The start of each run changes next_at too. Null means paused.
        readings={"next_at": ("is_enabled", _is_set)},
    ),
    Webhook: AuditedTable(
        "webhook",
        ("url",),
        ("description", "events", "enabled", "disabled_reason"),
        secrets=("secret",),
    ),
    Slo: AuditedTable(
        "slo", ("scenario", "metric"), ("framework", "profile", "parameters", "limit")
    ),
    Snapshot: AuditedTable("snapshot", key="hash"),
    StoredGuard: AuditedTable("guard", ("slug", "service"), ("verdict",)),
    # Bench hosts and the dispatcher write the rest.
    RequestedGuard: AuditedTable(
        "guard_request",
        ("service",),
        ("base_source", "head_source", "cancel_requested_at"),
        acts=frozenset({Act.CREATED, Act.CHANGED}),
    ),
    # Tacho creates changes and incidents. People only judge them.
    Change: AuditedTable(
        "change",
        ("framework", "scenario", "metric"),
        ("status", "note", "acknowledged_at"),
        acts=frozenset({Act.CHANGED}),
    ),
    Incident: AuditedTable("incident", ("framework",), ("note",), acts=frozenset({Act.CHANGED})),
    User: AuditedTable(
        "user",
        ("email",),
        ("name", "is_operator", "disabled_at"),
        secrets=("password_hash",),
        is_of_workspace=False,
    ),
    # Only operators change workspaces, and the entries remain when a workspace is deleted.
    Workspace: AuditedTable(
        "workspace",
        ("slug",),
        ("name", "max_queued_trials", "max_bench_minutes"),
        is_of_workspace=False,
    ),
    RetentionSetting: AuditedTable(
        "retention",
        values=("seconds_days", "logs_days"),
        acts=frozenset({Act.CHANGED}),
        is_of_workspace=False,
    ),
    # Workers register hosts and store what they report, without entries.
    Host: AuditedTable(
        "host",
        ("name",),
        ("reserved_for", "joined_at", "paused_at", "leaving_at", "revoked_at"),
        acts=frozenset({Act.CREATED, Act.CHANGED}),
        readings={
            "paused_at": ("is_paused", _is_set),
            "leaving_at": ("is_leaving", _is_set),
            "revoked_at": ("is_revoked", _is_set),
        },
        is_of_workspace=False,
    ),
    Membership: AuditedTable("membership", values=("role",), key="user_id", user="user_id"),
    OneTimeLink: AuditedTable(
        "one_time_link",
        ("purpose", "email"),
        ("role", "host_name", "expires_at", "used_at"),
        secrets=("key_hash",),
        user="user_id",
    ),
    AccessToken: AuditedTable(
        "access_token",
        ("name", "prefix"),
        ("scope", "hosts", "frameworks", "expires_at", "revoked_at"),
        secrets=("key_hash",),
        user="user_id",
    ),
    Identity: AuditedTable(
        "identity",
        ("issuer",),
        ("subject",),
        key="subject",
        user="user_id",
        is_of_workspace=False,
    ),
    UserSession: AuditedTable(
        "user_session",
        ("user_agent",),
        acts=frozenset({Act.CREATED, Act.DELETED}),
        actions={Act.CREATED: "user.signed_in", Act.DELETED: "user.signed_out"},
        user="user_id",
        is_of_workspace=False,
    ),
}
