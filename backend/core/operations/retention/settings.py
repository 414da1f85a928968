"""Read and change how long an installation and its workspaces keep seconds and logs."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import InvalidRequest
from backend.core.models import RetentionSetting, Workspace
from backend.core.operations.retention import repository
from backend.core.operations.retention.periods import Periods, list_longer
from backend.core.people.audit.recording import record


def read_installation(session: Session) -> Periods:
    """Return the periods of the installation."""
    return _read(repository.get_setting(session))


def read_workspace(session: Session, workspace_id: UUID) -> Periods:
    """Return the own periods of a workspace; None where it has those of the installation."""
    return _read(repository.get_workspace(session, workspace_id))


def change_installation(session: Session, periods: Periods) -> None:
    """Set the periods of the installation. Shorter ones apply to all workspaces at once."""
    setting = repository.get_setting(session, is_locked=True)
    setting.seconds_days, setting.logs_days = periods.seconds_days, periods.logs_days
    session.flush()


def change_workspace(session: Session, workspace_id: UUID, periods: Periods) -> None:
    """Set the own periods of a workspace; None uses those of the installation.

    Raises:
        InvalidRequest: a period is longer than that of the installation.
    """
    installation = _read(repository.get_setting(session, is_locked=True))
    problems = [
        {
            "field": field,
            "detail": f"must be at most {most}, because this installation keeps them for {most} "
            "days. Choose fewer days, or ask an operator.",
        }
        for field, most in list_longer(installation, periods).items()
    ]
    if problems:
        raise InvalidRequest.of(problems)
    workspace = repository.get_workspace(session, workspace_id)
    before = _read(workspace)
    if before == periods:
        return
    workspace.seconds_days, workspace.logs_days = periods.seconds_days, periods.logs_days
    session.flush()
    record(
        session,
        "retention.changed",
        ("workspace", str(workspace_id)),
        workspace_id=workspace_id,
        before=_list_values(before),
        after=_list_values(periods),
    )


def _read(row: RetentionSetting | Workspace) -> Periods:
    return Periods(row.seconds_days, row.logs_days)


def _list_values(periods: Periods) -> dict[str, object]:
    return {"seconds_days": periods.seconds_days, "logs_days": periods.logs_days}
