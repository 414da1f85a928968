"""Outages of PostgreSQL and Redis in the log: one line when an outage begins, one when it ends."""

import logging
from threading import Lock

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

logger = logging.getLogger(__name__)

# PostgreSQL's classes of codes for a broken connection and for a server that shuts down or starts.
_LOST = ("08", "57P")


class OutageLog:
    """Logs the first failure after a success, and the first success after a failure.

    Args:
        subject: what can fail, the subject of both sentences.
        begin: the predicate for the first failure.
        end: the predicate for the first success.
    """

    def __init__(self, subject: str, begin: str, end: str) -> None:
        self._begin = f"{subject} {begin}"
        self._end = f"{subject} {end}"
        self._is_down = False
        self._lock = Lock()

    def note_failure(self, error: Exception) -> None:
        """Log the failure, unless an outage has begun already."""
        if self._change(is_down=True):
            logger.warning("%s: %s", self._begin, describe_error(error))

    def note_success(self) -> None:
        """Log that the outage has ended, if there was one."""
        if self._is_down and self._change(is_down=False):
            logger.warning("%s", self._end)

    def _change(self, *, is_down: bool) -> bool:
        with self._lock:
            has_changed = self._is_down != is_down
            self._is_down = is_down
            return has_changed


def describe_error(error: Exception) -> str:
    """Return the first line of an error, without the statement and the link SQLAlchemy adds."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    return (str(cause) or type(cause).__name__).splitlines()[0]


def is_connection_lost(error: BaseException) -> bool:
    """Whether the database does not answer, or closed the connection."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    sqlstate = getattr(error.orig, "sqlstate", None)
    return sqlstate is None or sqlstate.startswith(_LOST)
