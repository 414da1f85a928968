"""Read the load generator's lines while it runs, and how it ended."""

from collections.abc import Iterator

from backend.core.errors import LoadFailed, LoadGeneratorDied
from worker.loadgen.command import explain_exit
from worker.loadgen.parse import LoadLine, LoadLineInvalid, parse_line
from worker.runtime.base import Execution
from worker.runtime.exit import Exit

_EXIT_SECONDS = 10.0
_SHOWN_LINES = 3
_SHOWN_CHARACTERS = 600


def read_lines(execution: Execution) -> Iterator[LoadLine]:
    """Yield each line that the load generator writes, parsed.

    Raises:
        LoadGeneratorDied: the load generator was killed in the middle of a line.
        LoadLineInvalid: a line has another format.
    """
    for text in execution.lines():
        try:
            line = parse_line(text)
        except LoadLineInvalid:
            end = await_exit(execution)
            if end.is_killed:
                raise explain_death(end, execution) from None
            raise
        yield line


def await_exit(execution: Execution) -> Exit:
    """Return how the load generator ended after its output; raises LoadFailed if it did not end."""
    try:
        return execution.wait(_EXIT_SECONDS)
    except TimeoutError:
        raise LoadFailed(
            f"The load generator closed its output, but did not end within {_EXIT_SECONDS:.0f} s."
        ) from None


def explain_death(end: Exit, execution: Execution) -> LoadFailed:
    """Return the failure for a load generator that ended before its work was done."""
    kind = LoadGeneratorDied if end.is_killed else LoadFailed
    lines = execution.stderr.strip().splitlines()[-_SHOWN_LINES:]
    tail = "\n".join(lines)[-_SHOWN_CHARACTERS:]
    shown = f" Its last lines:\n{tail}" if tail else ""
    return kind(f"The load generator {explain_exit(end)} before the load was complete.{shown}")
