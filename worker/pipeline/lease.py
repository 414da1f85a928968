"""Keeps the lease of a trial that this worker runs, and notices when the trial must stop."""

import logging
import time

from sqlalchemy.exc import SQLAlchemyError

from backend.core.db import unit_of_work
from backend.core.runs.trials import repository
from backend.core.runs.trials.service import LEASE_SECONDS, TrialClaim
from backend.core.schema import SchemaMismatch
from worker.schema_watch import get_schema_watch
from worker.stages.watch import Stop
from worker.transactions import describe

_log = logging.getLogger(__name__)
_RENEW_SECONDS = 5.0


class Lease:
    """The lease of a claimed trial, renewed every five seconds by `find_stop`."""

    def __init__(self, claim: TrialClaim) -> None:
        self._trial_id = claim.trial_id
        self._attempt = claim.attempt
        self._is_answered = True
        self._renewed = time.monotonic()

    def find_stop(self) -> Stop | None:
        """Renew the lease if it is due; return why the trial must stop, or None.

        While the database does not answer, return None: it may be back before the lease expires.
        """
        # After an outage the lease is renewed at once: it may expire at any moment.
        renew = time.monotonic() - self._renewed >= _RENEW_SECONDS
        try:
            is_held, is_cancelled = self._read(renew=renew)
        except SchemaMismatch:
            return Stop.UPGRADE
        except SQLAlchemyError as error:
            if self._is_answered:
                _log.warning("trial %s: lease not renewed: %s", self._trial_id, describe(error))
            self._is_answered = False
            return None
        self._is_answered = True
        if renew:
            self._renewed = time.monotonic()
        if not is_held:
            return Stop.TAKEN_OVER
        return Stop.CANCELLED if is_cancelled else None

    def _read(self, *, renew: bool) -> tuple[bool, bool]:
        """Return whether this worker holds the trial, and whether its run was cancelled."""
        with unit_of_work() as session:
            if renew:
                get_schema_watch().check(session)
                repository.renew_lease(session, self._trial_id, self._attempt, LEASE_SECONDS)
            return repository.read_hold(session, self._trial_id, self._attempt)
