"""The database tables, by subject."""

from backend.core.models.catalog import BuildSource, Framework, Scenario, Study
from backend.core.models.changes import (
    Change,
    Incident,
    Schedule,
    ScheduledRun,
    Webhook,
    WebhookDelivery,
)
from backend.core.models.hosts import (
    Host,
    HostCredential,
    HostEvent,
    HostFramework,
    HostLease,
    HostScenario,
)
from backend.core.models.measurement import MetricValue, Sample, TrialHistogram
from backend.core.models.operations import Backup, DatabaseShortage, RetentionSetting
from backend.core.models.people import (
    AccessToken,
    AuditEvent,
    Identity,
    Membership,
    OneTimeLink,
    User,
    UserSession,
    Workspace,
)
from backend.core.models.results import (
    CellChart,
    CellMetric,
    CellSummary,
    GuardSource,
    RequestedGuard,
    Slo,
    Snapshot,
    StoredGuard,
)
from backend.core.models.runs import Cell, DeletedRun, Run, RunGroup, Trial, TrialLog

__all__ = [
    "AccessToken",
    "AuditEvent",
    "Backup",
    "BuildSource",
    "Cell",
    "CellChart",
    "CellMetric",
    "CellSummary",
    "Change",
    "DatabaseShortage",
    "DeletedRun",
    "Framework",
    "GuardSource",
    "Host",
    "HostCredential",
    "HostEvent",
    "HostFramework",
    "HostLease",
    "HostScenario",
    "Identity",
    "Incident",
    "Membership",
    "MetricValue",
    "OneTimeLink",
    "RequestedGuard",
    "RetentionSetting",
    "Run",
    "RunGroup",
    "Sample",
    "Scenario",
    "Schedule",
    "ScheduledRun",
    "Slo",
    "Snapshot",
    "StoredGuard",
    "Study",
    "Trial",
    "TrialHistogram",
    "TrialLog",
    "User",
    "UserSession",
    "Webhook",
    "WebhookDelivery",
    "Workspace",
]
