"""Closed lists of stored values: statuses, visibilities, variants and events.

The rules about them are in the packages above: core.runs.status, core.runs.visibility,
core.changes.lifecycle, core.schedules.watch, core.webhooks, core.access.
"""

from enum import StrEnum


class TrialStatus(StrEnum):
    """Status of a trial. Those between QUEUED and SUCCEEDED are its stages, in order."""

    QUEUED = "queued"
    BUILDING = "building"
    STARTING = "starting"
    VERIFYING = "verifying"
    WARMING_UP = "warming_up"
    MEASURING = "measuring"
    COLLECTING = "collecting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunOutcome(StrEnum):
    """Whether an ended run has a usable answer, whatever its status.

    NOT_USABLE: no group of the run has enough usable results to compare. USABLE_WITH_WARNINGS: a
    group has, but results are missing, excluded or carry a warning. USABLE: neither.
    """

    USABLE = "usable"
    USABLE_WITH_WARNINGS = "usable_with_warnings"
    NOT_USABLE = "not_usable"


class GuardVerdict(StrEnum):
    """The verdict about a change of an own service. Scripts read it from the exit code."""

    SLOWER = "slower"
    FASTER = "faster"
    NO_DIFFERENCE = "no_difference"
    UNKNOWN = "unknown"
    RESPONSES_DIFFER = "responses_differ"


class GuardStatus(StrEnum):
    """Status of a guard that a bench host is to run.

    FINISHED: its verdict is stored. FAILED: a version fails or is refused, or the host was lost.
    """

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Severity(StrEnum):
    """How soon an operator must act, the most urgent first; as in the alert rules."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class RemovalReason(StrEnum):
    """Why a run has no seconds any more.

    ARCHIVED: a person archived the run. RETENTION: it was older than seconds are kept.
    """

    ARCHIVED = "archived"
    RETENTION = "retention"


class GoalState(StrEnum):
    """How far a run with a goal is. Its run goes on only while it is OPEN.

    MAX_TRIALS and MAX_MINUTES: this limit was reached before the goal. UNREACHABLE: too few results
    are left, because the others failed or are excluded. FAILED: Tacho could not judge it.
    """

    OPEN = "open"
    REACHED = "reached"
    MAX_TRIALS = "max_trials"
    MAX_MINUTES = "max_minutes"
    UNREACHABLE = "unreachable"
    FAILED = "failed"


class HostStatus(StrEnum):
    """The decision of operators about a bench host.

    READY: it takes trials. PAUSED: it finishes its current trial and takes no new ones; its runs
    wait. LEAVING: it finishes its current trial, and is revoked then; no new run may use it.
    REVOKED: it has no credentials any more, and no run may use it.
    """

    READY = "ready"
    PAUSED = "paused"
    LEAVING = "leaving"
    REVOKED = "revoked"


class ScheduledRunStatus(StrEnum):
    """WAITING until the run ends or counts as missed.

    LATE if the result arrived after the run counted as missed.
    """

    WAITING = "waiting"
    ARRIVED = "arrived"
    LATE = "late"
    MISSED = "missed"
    CANCELLED = "cancelled"


class MissReason(StrEnum):
    """Why the result of a scheduled run did not arrive."""

    REFUSED = "refused"
    PREVIOUS_UNFINISHED = "previous_unfinished"
    TACHO_DOWN = "tacho_down"
    HOST_OFFLINE = "host_offline"
    OVERDUE = "overdue"
    RUN_FAILED = "run_failed"


class ChangeStatus(StrEnum):
    """Status of a change, decided by a confirmation run or by a person."""

    SUSPECTED = "suspected"
    TESTING = "testing"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    HOST_DRIFT = "host_drift"

    @property
    def words(self) -> str:
        """Return the status as part of a sentence: `under test`."""
        return "under test" if self is ChangeStatus.TESTING else self.value.replace("_", " ")


class IncidentKind(StrEnum):
    """The subject of an incident: series of one framework, or most series of a bench host."""

    SERVICE = "service"
    HOST = "host"


class WebhookEvent(StrEnum):
    """The events that a webhook can subscribe to."""

    RUN_FINISHED = "run.finished"
    LIMIT_MISSED = "limit.missed"
    CHANGE_CONFIRMED = "change.confirmed"
    SCHEDULE_MISSED = "schedule.missed"


# The test button sends this event to one webhook. Webhooks cannot subscribe to it.
TEST_EVENT = "webhook.test"


class DeliveryStatus(StrEnum):
    """PENDING until the receiver answers 2xx, or until no attempt is left."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class Visibility(StrEnum):
    """Which visitors can see a run."""

    PRIVATE = "private"
    UNLISTED = "unlisted"
    PUBLIC = "public"


class StudyVariant(StrEnum):
    """How a run reproduces a study: QUICK is shorter, FULL is as long as the study."""

    QUICK = "quick"
    FULL = "full"


class Role(StrEnum):
    """The role of a member in a workspace. Each role includes the roles above it."""

    VIEWER = "viewer"
    MEMBER = "member"
    MAINTAINER = "maintainer"
    OWNER = "owner"


class TokenScope(StrEnum):
    """The scope of an access token. Each scope includes the scopes above it."""

    READ = "read"
    RUN = "run"
    MANAGE = "manage"


class LinkPurpose(StrEnum):
    """The purpose of a one-time link."""

    FIRST_OPERATOR = "first_operator"
    INVITATION = "invitation"
    PASSWORD_RESET = "password_reset"  # noqa: S105
    BENCH_HOST = "bench_host"
