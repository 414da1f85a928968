"""Events of runs for tests that need only some of their values."""

from datetime import UTC, datetime
from uuid import UUID

from backend.core.runs.live.events import LogEvent, SampleEvent, TrialEvent
from backend.core.statuses import TrialStatus
from backend.core.units import Phase

TRIAL_ID = UUID(int=1)
CELL_ID = UUID(int=2)


def trial_event(status: TrialStatus) -> TrialEvent:
    return TrialEvent(
        trial_id=TRIAL_ID,
        cell_id=CELL_ID,
        repetition=1,
        status=status,
        at=datetime(2026, 11, 20, 18, 40, tzinfo=UTC),
        stage_seconds={},
        failure=None,
    )


def sample_event(second: int) -> SampleEvent:
    return SampleEvent(
        trial_id=TRIAL_ID,
        cell_id=CELL_ID,
        phase=Phase.MEASURE,
        second=second,
        requests=1000,
        failed=0,
        dropped=0,
        in_flight=1.5,
        latency_p50_ms=1.0,
        latency_p99_ms=2.0,
        latency_max_ms=None,
        cpu_service_seconds=0.5,
        cpu_load_seconds=0.25,
        memory_bytes=1_000_000,
    )


def log_event(line: str) -> LogEvent:
    return LogEvent(trial_id=TRIAL_ID, name="build", line=line)
