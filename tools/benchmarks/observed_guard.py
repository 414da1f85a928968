"""Run `tacho guard`, and also write the values of each pair of trials to a file.

The first argument is the file. It gets one JSON object per line. The other arguments are those of
`tacho guard`, whose output and exit code do not change.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backend.core.catalog.own.service_file import DEFAULT_WORSE
from backend.platform.processes.guard import attend_this_process
from backend.platform.processes.parts import WORKER_CLEANING
from cli import app
from worker.guard.measuring import PairedLoad


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Return the pairs in the order of time; none if no pair was measured."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Run the guard."""
    attend_this_process("tools.benchmarks.observed_guard", WORKER_CLEANING)
    path = Path(sys.argv[1])
    add = PairedLoad.add

    def add_and_write(
        self: PairedLoad, base: Mapping[str, float], head: Mapping[str, float]
    ) -> None:
        add(self, base, head)
        metrics = {*self.limits, *DEFAULT_WORSE}
        values = {
            name: {metric: found[metric] for metric in metrics if metric in found}
            for name, found in (("base", base), ("head", head))
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"load": self.name, **values}) + "\n")

    PairedLoad.add = add_and_write  # type: ignore[method-assign]
    app(["guard", *sys.argv[2:]])


if __name__ == "__main__":
    main()
