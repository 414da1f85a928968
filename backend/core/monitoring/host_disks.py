"""The disks of a bench host, as its worker stored them."""

from functools import lru_cache
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from backend.core.documents import HostDisk
from backend.core.monitoring.readings import DiskReading
from backend.core.units import HostFolder

_MOST_DISKS = len(HostFolder)


def parse_host_disks(stored: object) -> list[DiskReading]:
    """Return the disks, each name once; nothing if the document is invalid.

    The user of a bench host in PostgreSQL can write anything there, and must not make the pages of
    operators fail.
    """
    try:
        disks = _get_adapter().validate_python(stored)
    except ValidationError:
        return []
    return list({disk["name"]: DiskReading(**disk) for disk in disks}.values())


@lru_cache
def _get_adapter() -> TypeAdapter[list[HostDisk]]:
    return TypeAdapter(Annotated[list[HostDisk], Field(max_length=_MOST_DISKS)])
