"""Set up the log of a part: text for people, or JSON for programs.

Both formats escape control characters, because messages quote what others sent. A line that does
not begin with a space is a record of this process.
"""

import logging
from copy import copy
from textwrap import indent
from types import TracebackType

from backend.core.config import get_settings
from backend.core.control_characters import escape_control_characters, escape_lines
from backend.core.documents import JsonObject
from backend.core.log_context import AddLogFields

_ExceptionInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)
_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FIELDS = ("levelname", "name", "message")
_EXCEPTION = "exception"
_NAMES = {"levelname": "level", "name": "logger", "exc_info": _EXCEPTION}


def set_up_logs(part: str) -> None:
    """Write the log of this process to standard error, in the format of the settings; repeatable.

    Args:
        part: the field `part` of each line: `api`, `worker`, `dispatcher` or `backups`.
    """
    settings = get_settings()
    handler = logging.StreamHandler()
    if settings.log_format == "text":
        handler.setFormatter(TextFormatter(_TEXT))
    else:
        handler.setFormatter(make_json_formatter(part))
        handler.addFilter(AddLogFields())
        logging.captureWarnings(True)
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    # uvicorn has set up a handler of its own.
    server = logging.getLogger("uvicorn")
    server.handlers.clear()
    server.propagate = True


class TextFormatter(logging.Formatter):
    """Writes each record as one line, and its traceback as indented lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        own = copy(record)
        # Another handler may have kept a traceback as it is.
        own.exc_text = None
        return super().format(own)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return the first line."""
        return escape_control_characters(super().formatMessage(record))

    def formatException(self, ei: _ExceptionInfo) -> str:  # noqa: N802
        """Return the traceback."""
        return _indent(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Return the stack of the call that made a record."""
        return _indent(super().formatStack(stack_info))


def _escape_field(name: str, value: object) -> object:
    """Return the value of a field. A traceback keeps its lines."""
    if not isinstance(value, str):
        return value
    if name == _EXCEPTION:
        return escape_lines(value)
    return escape_control_characters(value)


def _indent(lines: str) -> str:
    return indent(escape_lines(lines), "  ", lambda _: True)


def make_json_formatter(part: str) -> logging.Formatter:
    """Return a formatter that writes each record as one line of JSON."""
    from pythonjsonlogger.core import RESERVED_ATTRS  # noqa: PLC0415  text needs no library
    from pythonjsonlogger.json import JsonFormatter  # noqa: PLC0415

    class EscapingFormatter(JsonFormatter):
        def process_log_record(self, log_data: JsonObject) -> JsonObject:
            found = super().process_log_record(log_data)
            return {name: _escape_field(name, value) for name, value in found.items()}

    return EscapingFormatter(
        _FIELDS,
        rename_fields=_NAMES,
        static_fields={"part": part},
        timestamp="time",
        # uvicorn's message with colours.
        reserved_attrs=[*RESERVED_ATTRS, "color_message"],
    )
