"""The ids of what a thread, a task or the process works on, for its log lines."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple
from uuid import UUID

_Fields = Mapping[str, str]

# Reads the fields when a line is written, so that work without log lines costs nothing.
_read_fields: ContextVar[Callable[[], _Fields]] = ContextVar("log_fields", default=dict)
_process_fields: dict[str, str] = {}


def set_log_fields(read: Callable[[], _Fields]) -> None:
    """Add fields to all further log lines of this task, and of threads that it starts.

    Args:
        read: returns the fields; called for each line.
    """
    _read_fields.set(read)


@contextmanager
def log_fields(**fields: str) -> Iterator[None]:
    """Add fields to the log lines of this task or thread, within the context."""
    outer = _read_fields.get()
    token = _read_fields.set(lambda: {**outer(), **fields})
    try:
        yield
    finally:
        _read_fields.reset(token)


@contextmanager
def process_log_fields(**fields: str) -> Iterator[None]:
    """Add fields to the log lines of all threads of this process, within the context.

    For a worker, which runs one trial at a time.
    """
    _process_fields.update(fields)
    try:
        yield
    finally:
        for name in fields:
            _process_fields.pop(name, None)


def current_log_fields() -> dict[str, str]:
    """Return the fields that a log line of this thread has now."""
    return {**_process_fields, **_read_fields.get()()}


class RunIds(NamedTuple):
    """A run and the request of the API that began it.

    Attributes:
        request_id: None for runs of schedules, and of older versions.
    """

    run_id: UUID
    request_id: str | None

    def list_log_fields(self) -> dict[str, str]:
        """Return the fields of log lines about the run."""
        request = {} if self.request_id is None else {"request_id": self.request_id}
        return {"run_id": str(self.run_id), **request}


class AddLogFields(logging.Filter):
    """Adds the current fields to each record of a handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the fields; always return True."""
        for name, value in current_log_fields().items():
            record.__dict__.setdefault(name, value)
        return True
