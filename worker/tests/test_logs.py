"""An outage is one line in the log of a worker; an error in Tacho keeps its traceback."""

import logging

import pytest
import redis
from sqlalchemy.exc import OperationalError

from worker.logs import shorten_outage


def log_with_traceback(error: Exception) -> str:
    """Return what a handler with the filter writes for a logged exception."""
    record = logging.LogRecord(
        "celery.worker.consumer",
        *(logging.WARNING, __file__, 1),
        *("Task %s raised unexpected\nstack\n", ("host.work",), (type(error), error, None)),
    )
    assert shorten_outage(record)
    return logging.Formatter().format(record)


@pytest.mark.parametrize(
    "error",
    [
        redis.ConnectionError("Error 111 connecting to 127.0.0.1."),
        OperationalError("SELECT 1", {}, Exception("server closed the connection\nunexpectedly")),
        ConnectionResetError("reset by peer"),
    ],
)
def test_an_outage_is_one_line(error: Exception) -> None:
    line = log_with_traceback(error)

    assert "\n" not in line
    assert line.startswith(f"Task host.work raised unexpected ({type(error).__name__}: ")


def test_an_error_in_tacho_keeps_its_traceback() -> None:
    assert log_with_traceback(KeyError("trial")).endswith("\nKeyError: 'trial'")
