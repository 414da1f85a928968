"""Make a backup every few hours, as a part of Tacho of its own.

`python -m backend.platform.backups.scheduled` runs until it is stopped. Its database user must be
allowed to read all tables, which that of the dispatcher is not.
"""

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.config import Settings, get_settings
from backend.core.db import make_single_engine
from backend.core.errors import TachoError
from backend.core.operations import backups
from backend.core.schema import check_schema
from backend.platform.backups.folder import add_backup, check_folder
from backend.platform.logs.logs import set_up_logs
from backend.platform.processes.drain import draining

PREFIX = "tacho"
_log = logging.getLogger(__name__)
# A machine that measures must do nothing else, so a backup waits for running trials.
_LONGEST_WAIT_S = 900.0
# Also the time in which a change of the clock or of the database is noticed.
_POLL_S = 60.0


@dataclass(frozen=True)
class BackupPlan:
    """Where to store how many backups, and how often to make one."""

    database_url: str
    folder: Path
    every: timedelta
    kept: int

    def find_wait_s(self) -> float:
        """Return the seconds until the next backup is due; 0 or less if it is due now.

        Raises:
            SchemaMismatch: the database has the schema of another version.
            SQLAlchemyError: the database does not answer.
        """
        with Session(make_single_engine(self.database_url)) as session:
            check_schema(session)
            due_at = backups.find_due_time(session, self.every)
        return 0.0 if due_at is None else (due_at - datetime.now(UTC)).total_seconds()

    def back_up(self) -> None:
        """Make a backup and store whether it succeeded. No trial begins meanwhile.

        Raises:
            SQLAlchemyError: the result cannot be stored.
        """
        started_at = datetime.now(UTC)
        try:
            # Before draining: a backup that must fail stops no measurement.
            check_folder(self.folder, PREFIX)
            with draining(self.database_url, _LONGEST_WAIT_S, _log.info):
                file = add_backup(self.database_url, self.folder, PREFIX, self.kept)
            size_bytes = file.stat().st_size
        except (TachoError, OSError) as error:
            reason = error.detail if isinstance(error, TachoError) else str(error)
            _log.error("no backup was made: %s", reason)
            with Session(make_single_engine(self.database_url)) as session, session.begin():
                backups.store_failure(session, started_at, reason, self.every)
            return
        _log.info("%s: %d bytes", file, size_bytes)
        with Session(make_single_engine(self.database_url)) as session, session.begin():
            backups.store_success(session, started_at, str(file), size_bytes, self.every)


def read_plan(settings: Settings) -> BackupPlan | None:
    """Return the plan of the settings; None if they name no folder."""
    if settings.backup_folder is None:
        return None
    return BackupPlan(
        settings.database_url,
        settings.backup_folder,
        timedelta(hours=settings.backup_hours),
        settings.backups_kept,
    )


def run(plan: BackupPlan) -> None:
    """Make backups until the process is stopped."""
    pause, is_answered = threading.Event(), True
    while True:
        try:
            wait_s = plan.find_wait_s()
            if wait_s <= 0:
                plan.back_up()
                continue
            is_answered = True
        except (SQLAlchemyError, TachoError) as error:
            wait_s = _POLL_S
            if is_answered:
                _log.warning("no backup can be made now: %s", str(error).splitlines()[0])
            is_answered = False
        pause.wait(min(wait_s, _POLL_S))


def main() -> None:
    """Make the backups that the settings plan."""
    set_up_logs("backups")
    plan = read_plan(get_settings())
    if plan is None:
        raise SystemExit("TACHO_BACKUP_FOLDER is not set. Set it to a folder for backups.")
    run(plan)


if __name__ == "__main__":
    main()
