"""Configures the logs of Celery's processes."""

import logging

import redis
from celery.signals import celeryd_init, setup_logging
from kombu.exceptions import OperationalError

from backend.core.db import is_outage
from backend.platform.logs.logs import set_up_logs
from worker.transactions import describe

_REDIS_OUTAGES = (
    *(redis.ConnectionError, redis.TimeoutError),
    *(OperationalError, ConnectionError),
)


def install(part: str) -> None:
    """Replace Celery's logging in this process.

    Args:
        part: as in `set_up_logs`, here and below.
    """

    def replace(**_: object) -> None:
        set_up(part)

    # The first signal of a consumer, before Celery's warnings about its user.
    celeryd_init.connect(replace, weak=False)
    setup_logging.connect(replace, weak=False)


def set_up(part: str) -> None:
    """Write the logs of this process to standard error; repeatable."""
    set_up_logs(part)
    for handler in logging.getLogger().handlers:
        handler.addFilter(shorten_outage)
    # Celery logs each message on arrival and at its end, so every few seconds.
    for name in ("celery.worker.strategy", "celery.worker.request", "celery.app.trace"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # The connection pool logs each connection.
    logging.getLogger("httpcore").setLevel(logging.WARNING)


def shorten_outage(record: logging.LogRecord) -> bool:
    """Shorten a record with the traceback of an outage to one line; always return True.

    Celery logs such tracebacks at each attempt to reach Redis, and where a task ends because the
    database does not answer. They show only the internals of drivers.
    """
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and (isinstance(error, _REDIS_OUTAGES) or is_outage(error)):
        first_line, *_ = record.getMessage().strip().splitlines() or [""]
        record.msg, record.args = f"{first_line} ({describe(error)})", None
        record.exc_info = record.exc_text = record.stack_info = None
    return True
