"""The heartbeat of a bench host: it is online, its disks, and which of them lacks space."""

import logging
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy.exc import SQLAlchemyError

from backend.core.catalog.repository import touch_host
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.queue import try_wake_up_worker
from worker.bench.bench import Bench
from worker.monitoring import HEARTBEATS_MISSED
from worker.transactions import describe

_log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 10
# In the data folder. docker-compose.worker.yml names it.
HEARTBEAT_FILE = "heartbeat"


class Heartbeat:
    """Reports the state of a bench host to the database, one time for each call of `beat`."""

    def __init__(self, bench: Bench, begin_cleaning: Callable[[], None]) -> None:
        """Report nothing yet.

        Args:
            begin_cleaning: called when a disk begins to lack space.
        """
        self._bench = bench
        self._begin_cleaning = begin_cleaning
        self._is_answered = True
        self._was_short = False

    def beat(self) -> bool:
        """Report the state, and return whether the database has stored it."""
        try:
            self._report()
        except SQLAlchemyError as error:
            HEARTBEATS_MISSED.inc()
            if self._is_answered:
                _log.warning("heartbeat missed: %s", describe(error))
            self._is_answered = False
            return False
        self._is_answered = True
        return True

    def _report(self) -> None:
        shortage, disks = self._bench.find_disk_shortage(), self._bench.read_disks()
        with unit_of_work() as session:
            touch_host(session, self._bench.host_id, shortage, disks)
        # The health check of a container reads when the file was written.
        with suppress(OSError):
            (get_settings().data / HEARTBEAT_FILE).touch()
        if self._was_short and not shortage:
            _log.info("there is enough free disk space again")
            try_wake_up_worker(self._bench.queue)
        if shortage and not self._was_short:
            _log.warning("this host is cleaned: %s", shortage)
            self._begin_cleaning()
        self._was_short = bool(shortage)
