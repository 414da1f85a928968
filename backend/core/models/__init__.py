"""The database tables, one per file."""

from backend.core.models.access_token import AccessToken
from backend.core.models.audit_event import AuditEvent
from backend.core.models.backup import Backup
from backend.core.models.build_source import BuildSource
from backend.core.models.cell import Cell
from backend.core.models.cell_chart import CellChart
from backend.core.models.cell_metric import CellMetric
from backend.core.models.cell_summary import CellSummary
from backend.core.models.change import Change
from backend.core.models.database_shortage import DatabaseShortage
from backend.core.models.deleted_run import DeletedRun
from backend.core.models.framework import Framework
from backend.core.models.histogram import TrialHistogram
from backend.core.models.host import Host
from backend.core.models.host_credential import HostCredential
from backend.core.models.host_event import HostEvent
from backend.core.models.host_framework import HostFramework
from backend.core.models.host_scenario import HostScenario
from backend.core.models.identity import Identity
from backend.core.models.incident import Incident
from backend.core.models.membership import Membership
from backend.core.models.metric_value import MetricValue
from backend.core.models.one_time_link import OneTimeLink
from backend.core.models.retention_setting import RetentionSetting
from backend.core.models.run import Run
from backend.core.models.run_group import RunGroup
from backend.core.models.sample import Sample
from backend.core.models.scenario import Scenario
from backend.core.models.schedule import Schedule
from backend.core.models.scheduled_run import ScheduledRun
from backend.core.models.slo import Slo
from backend.core.models.snapshot import Snapshot
from backend.core.models.study import Study
from backend.core.models.trial import Trial
from backend.core.models.trial_log import TrialLog
from backend.core.models.user import User
from backend.core.models.user_session import UserSession
from backend.core.models.webhook import Webhook
from backend.core.models.webhook_delivery import WebhookDelivery
from backend.core.models.workspace import Workspace

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
    "Host",
    "HostCredential",
    "HostEvent",
    "HostFramework",
    "HostScenario",
    "Identity",
    "Incident",
    "Membership",
    "MetricValue",
    "OneTimeLink",
    "RetentionSetting",
    "Run",
    "RunGroup",
    "Sample",
    "Scenario",
    "Schedule",
    "ScheduledRun",
    "Slo",
    "Snapshot",
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
