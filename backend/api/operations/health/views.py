"""The parts that `tacho up` supervises, as schemas."""

from backend.api.operations.health.schemas import PartHealth, PartStatus
from backend.core.config import get_settings
from backend.platform.layout import Layout
from backend.platform.processes.part_states import read_part_states


def list_parts(*, with_log: bool) -> list[PartHealth]:
    """Return the states of the parts, with the last lines of their logs if wanted."""
    states = read_part_states(Layout(get_settings().data).part_states)
    return [
        PartHealth.of(
            state,
            status=PartStatus.OK if state.is_well else PartStatus.DOWN,
            last_lines=state.last_lines if with_log else [],
        )
        for state in states
    ]
