"""The parts that `tacho up` supervises, and what it still builds, as schemas."""

from datetime import UTC, datetime

from backend.api.operations.health.schemas import LoadGeneratorHealth, PartHealth, PartStatus
from backend.core.config import get_settings
from backend.platform.layout import Layout
from backend.platform.load_generator import read_load_generator_build
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


def find_load_generator() -> LoadGeneratorHealth | None:
    """Return the build of the load generator that is going on; None if there is none."""
    settings = get_settings()
    build = read_load_generator_build(Layout(settings.data).load_generator_build)
    if build is None:
        return None
    return LoadGeneratorHealth(
        host=settings.bench_host,
        remaining_seconds=build.find_remaining_seconds(datetime.now(UTC)),
    )
