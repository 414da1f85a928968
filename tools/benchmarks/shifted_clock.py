"""Run a worker with another wall clock: `python -m tools.benchmarks.shifted_clock 5 python -m …`.

The first argument is the number of seconds by which the clock is ahead. The rest is the command of
a Python module, which runs in this process. Linux has no namespaces for the wall clock, so this
shifts what the module reads from it, and the wall-clock times in the lines of k6. Both are the
clock of the same machine.
"""

import runpy
import sys
import time
from dataclasses import replace
from unittest.mock import patch

from worker.loadgen.parse import LoadLine, StartLine, parse_line
from worker.remote import agent

_NS_PER_S = 1_000_000_000


def main(argv: list[str]) -> None:
    """Run the module of a command with a shifted clock."""
    seconds, command = int(argv[0]), argv[1:]
    module, arguments = command[2], command[3:]  # after `python -m`
    ahead_ns = seconds * _NS_PER_S
    read_s, read_ns = time.time, time.time_ns

    def parse(text: str) -> LoadLine:
        line = parse_line(text)
        if isinstance(line, StartLine):
            return replace(line, wall_ns=line.wall_ns + ahead_ns)
        return line

    sys.argv = [module, *arguments]
    with (
        patch.object(time, "time", lambda: read_s() + seconds),
        patch.object(time, "time_ns", lambda: read_ns() + ahead_ns),
        patch.object(agent, "parse_line", parse),
    ):
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
