"""The state of the supervised parts, as a file: `tacho up` writes it, the API reads it."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError


class PartState(BaseModel):
    """One part: whether it is well, and how it ended last."""

    name: str
    is_well: bool
    restarts: int
    reason: str | None
    last_lines: list[str]
    failed_at: datetime | None
    next_try_at: datetime | None


_STATES = TypeAdapter(list[PartState])


def write_part_states(path: Path, states: Sequence[PartState]) -> None:
    """Replace the file; a reader sees the old states or the new ones, never half of them."""
    written = path.with_suffix(".new")
    written.write_bytes(_STATES.dump_json(list(states)))
    written.replace(path)


def read_part_states(path: Path) -> list[PartState]:
    """Return the states; none where no `tacho up` supervises the parts."""
    try:
        return _STATES.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return []
