"""How Celery's processes write their logs."""

import logging
from typing import Any

from celery.signals import setup_logging

from backend.core.config import get_settings


def install() -> None:
    """Take Celery's logging over, for the process that calls it."""
    setup_logging.connect(set_up, weak=False)


def set_up(**_: Any) -> None:
    """Write what the process logs to standard error, with time and level; repeatable."""
    logging.basicConfig(
        level=get_settings().log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    # Celery tells of each bell that it came, was late, and was answered: every few seconds.
    for name in ("celery.worker.strategy", "celery.worker.request", "celery.app.trace"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # The connection pool tells of each connection.
    logging.getLogger("httpcore").setLevel(logging.WARNING)
