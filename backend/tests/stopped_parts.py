"""A worker that keeps stopping, as `tacho up` reports it."""

from datetime import UTC, datetime

from backend.platform.layout import Layout
from backend.platform.processes.part_states import PartState, write_part_states


def write_stopped_worker(layout: Layout, last_line: str) -> PartState:
    """Write and return the state of a worker that has ended seven times after this line."""
    layout.make()
    state = PartState(
        name="worker",
        is_well=False,
        restarts=7,
        reason="ended with exit code 1",
        last_lines=[last_line],
        failed_at=datetime.now(UTC),
        next_try_at=None,
    )
    write_part_states(layout.part_states, [state])
    return state
