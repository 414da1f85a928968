"""A claimed trial in the database, and a database that closes connections."""

import threading
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from backend.core.config import Settings
from backend.core.db import get_engine, unit_of_work
from backend.core.models import Trial
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.tests.factories import add_host, ask_run, claim_next
from worker import transactions
from worker.pipeline.run import to_assignment
from worker.stages.assignment import Assignment

_TERMINATE = text("SELECT pg_terminate_backend(:pid, 60000)")


@pytest.fixture
def assignment(database: Settings) -> Assignment:
    """Return the assignment of a claimed trial of node × hello."""
    assert database.database_url
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session)
        trial = trials.claim_next(session, host.id)
        assert trial is not None
        return to_assignment(trial)


def read_trial(assignment: Assignment) -> Trial:
    """Return the stored trial."""
    with unit_of_work() as session:
        return repository.get_trial(session, assignment.trial_id)


def claim_again(assignment: Assignment) -> None:
    """Claim the trial for another worker, as if this worker were lost."""
    host_id = read_trial(assignment).host_id
    with unit_of_work() as session:
        trials.recover_lost(session, host_id)
    with unit_of_work() as session:
        claim_next(session, host_id)


class Outages:
    """Ends the connection of each transaction at every step: before its first statement, then in
    the next attempt before its second one, and so on, and at last after its commit."""

    def __init__(self, database_url: str) -> None:
        self._others = create_engine(database_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        self._steps = threading.local()
        self.count = 0

    def execute(self, connection: Connection, *_: object) -> None:
        """Count a statement, before which the connection may end."""
        if self._is_next():
            self._end(connection)

    def commit(self, connection: Connection) -> None:
        """Count a commit. The connection may end before its answer arrives."""
        if self._is_next():
            connection.connection.commit()
            self._end(connection)
            raise OperationalError("COMMIT", None, ConnectionError("no answer"))
        self._steps.taken, self._steps.last = 0, 1

    def _is_next(self) -> bool:
        taken, last = getattr(self._steps, "taken", 0) + 1, getattr(self._steps, "last", 1)
        is_next: bool = taken == last
        self._steps.taken, self._steps.last = (0, last + 1) if is_next else (taken, last)
        return is_next

    def _end(self, connection: Connection) -> None:
        driver = connection.connection.dbapi_connection
        assert driver is not None
        with self._others.connect() as other:
            assert other.scalar(_TERMINATE, {"pid": driver.info.backend_pid})
        self.count += 1


@pytest.fixture
def end_outages(
    database: Settings, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """End the connection of each transaction at every step, until the returned function is
    called."""
    assert assignment.attempt == 1
    for name in ("_FIRST_PAUSE_SECONDS", "_LONGEST_PAUSE_SECONDS"):
        monkeypatch.setattr(transactions, name, 0.001)
    outages, engine = Outages(database.database_url), get_engine()
    listeners = {"before_cursor_execute": outages.execute, "commit": outages.commit}
    for name, listener in listeners.items():
        event.listen(engine, name, listener)

    def end() -> None:
        for name, listener in listeners.items():
            if event.contains(engine, name, listener):
                event.remove(engine, name, listener)

    def end_after_outages() -> None:
        end()
        assert outages.count > 1

    yield end_after_outages
    end()
