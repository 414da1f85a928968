"""The webhook message about the end of a run."""

from sqlalchemy.orm import Session

from backend.core.changes.webhooks.service import emit
from backend.core.models import Run
from backend.core.statuses import TrialStatus, WebhookEvent
from backend.core.units import Purpose


def announce_end(session: Session, run: Run) -> None:
    """Queue webhook messages about the end of a comparison run; other runs send none."""
    if run.purpose == Purpose.COMPARISON:
        emit(session, run.workspace_id, WebhookEvent.RUN_FINISHED, {"run": describe_run(run)})


def describe_run(run: Run) -> dict[str, object]:
    """Return the run's identity and how it ended.

    Results are left out: they mean nothing without verdicts and intervals.

    Args:
        run: with host, cells and trials.
    """
    failed = sum(trial.status == TrialStatus.FAILED for trial in run.trials)
    return {
        "id": run.id,
        "slug": run.slug,
        "title": run.title,
        "status": run.status,
        "outcome": run.outcome,
        "visibility": run.visibility,
        "host": run.host.name,
        "trials_total": len(run.trials),
        "trials_failed": failed,
        "created_at": run.created_at.isoformat(),
        "started_at": run.started_at and run.started_at.isoformat(),
        "finished_at": run.finished_at and run.finished_at.isoformat(),
    }
