"""Set up the log of a part: text for people, or JSON for programs."""

import logging

from backend.core.config import get_settings
from backend.core.log_context import AddLogFields

_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FIELDS = ("levelname", "name", "message")
_NAMES = {"levelname": "level", "name": "logger", "exc_info": "exception"}


def set_up_logs(part: str) -> None:
    """Write the log of this process to standard error, in the format of the settings; repeatable.

    Args:
        part: the field `part` of each line: `api`, `worker`, `dispatcher` or `backups`.
    """
    settings = get_settings()
    if settings.log_format == "text":
        logging.basicConfig(level=settings.log_level, format=_TEXT)
        return
    handler = logging.StreamHandler()
    handler.setFormatter(make_json_formatter(part))
    handler.addFilter(AddLogFields())
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    logging.captureWarnings(True)
    # uvicorn has set up a handler of its own.
    server = logging.getLogger("uvicorn")
    server.handlers.clear()
    server.propagate = True


def make_json_formatter(part: str) -> logging.Formatter:
    """Return a formatter that writes each record as one line of JSON."""
    from pythonjsonlogger.core import RESERVED_ATTRS  # noqa: PLC0415  text needs no library
    from pythonjsonlogger.json import JsonFormatter  # noqa: PLC0415

    return JsonFormatter(
        _FIELDS,
        rename_fields=_NAMES,
        static_fields={"part": part},
        timestamp="time",
        # uvicorn's message with colours.
        reserved_attrs=[*RESERVED_ATTRS, "color_message"],
    )
