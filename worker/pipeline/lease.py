"""Keeps the lease of a trial that this worker runs, and notices when the trial must stop."""

import logging

from sqlalchemy.exc import SQLAlchemyError

from backend.core.db import unit_of_work
from backend.core.runs.trials import repository
from backend.core.runs.trials.service import LEASE_SECONDS, TrialClaim
from backend.core.schema import SchemaMismatch
from worker.stages.watch import Stop
from worker.transactions import describe, get_schema_watch

_log = logging.getLogger(__name__)


class Lease:
    """The lease of a claimed trial. `Watch` calls `find_stop` every five seconds."""

    def __init__(self, claim: TrialClaim) -> None:
        self._trial_id = claim.trial_id
        self._attempt = claim.attempt
        self._is_answered = True

    def find_stop(self) -> Stop | None:
        """Renew the lease; return why the trial must stop, or None.

        While the database does not answer, return None: it may be back before the lease expires.
        """
        try:
            with unit_of_work() as session:
                get_schema_watch().check(session)
                is_held, is_cancelled = repository.renew_lease(
                    session, self._trial_id, self._attempt, LEASE_SECONDS
                )
        except SchemaMismatch:
            return Stop.UPGRADE
        except SQLAlchemyError as error:
            if self._is_answered:
                _log.warning("trial %s: lease not renewed: %s", self._trial_id, describe(error))
            self._is_answered = False
            return None
        self._is_answered = True
        if not is_held:
            return Stop.TAKEN_OVER
        return Stop.CANCELLED if is_cancelled else None
