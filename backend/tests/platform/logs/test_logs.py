"""Logs in JSON: one object in each line, with the ids of the present work."""

import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from backend.core.log_context import AddLogFields
from backend.platform.logs.logs import make_json_formatter


def write(record: logging.LogRecord) -> dict[str, Any]:
    """Return the line of a record as a program reads it."""
    AddLogFields().filter(record)
    line = make_json_formatter("worker").format(record)
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


def make_record(message: str, *arguments: object, **further: object) -> logging.LogRecord:
    record = logging.LogRecord(
        "worker.pipeline.run", logging.WARNING, __file__, 1, message, arguments, None
    )
    record.__dict__.update(further)
    return record


def test_a_line_has_time_level_logger_part_and_message() -> None:
    line = write(make_record("trial %s failed\nbadly", 7))

    assert line["message"] == r"trial 7 failed\nbadly"
    assert (line["level"], line["logger"], line["part"]) == (
        "WARNING",
        "worker.pipeline.run",
        "worker",
    )
    age = datetime.now(UTC) - datetime.fromisoformat(line["time"])
    assert timedelta(0) <= age < timedelta(hours=1)


def test_an_exception_is_part_of_the_line() -> None:
    record = make_record("broken")
    error = KeyError("trial")
    record.exc_info = (KeyError, error, None)

    line = write(record)

    assert line["exception"] == "KeyError: 'trial'"


def test_objects_of_libraries_and_colours_do_not_break_a_line() -> None:
    line = write(make_record("task", data=object(), color_message="\x1b[31mtask"))

    assert "object object" in line["data"]
    assert "color_message" not in line
