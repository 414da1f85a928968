"""The file with the states of the supervised parts: `tacho up` writes it, the API reads it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError


class PartState(BaseModel):
    """The state of a part, and how it ended last."""

    name: str
    is_well: bool
    restarts: int
    reason: str | None
    last_lines: list[str]
    failed_at: datetime | None
    next_try_at: datetime | None


_STATES = TypeAdapter(list[PartState])


def write_part_states(path: Path, states: Sequence[PartState]) -> None:
    """Replace the file atomically."""
    written = path.with_suffix(".new")
    written.write_bytes(_STATES.dump_json(list(states)))
    written.replace(path)


def read_part_states(path: Path) -> list[PartState]:
    """Return the states. The list is empty if no `tacho up` supervises the parts."""
    try:
        return _STATES.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return []
