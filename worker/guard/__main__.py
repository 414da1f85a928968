"""`python -m worker.guard FOLDER`: run the guard of a folder, for the worker of a bench host.

The folder has `order.json`, a `GuardOrder`; `namespace`; and the archives `base.tar.gz` and
`head.tar.gz`. Each line of the output is a JSON object with `doing`, `note`, `report` or `failure`.
"""

import json
import logging
import os
import sys
from pathlib import Path

from backend.core.catalog.own.service_file import FILE_NAME, parse_service_file
from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.results.guard.document import GuardOrder, GuardReport
from backend.core.results.guard.requests import describe_failure
from worker.bench.bench import survey_bench
from worker.guard.checks import select_loads
from worker.guard.guard import Guard
from worker.guard.sources import unpack_source

# The parts of an exported version; the name of the folder is part of the digest of a build.
_SERVICE = "service"


class _Output:
    """Writes how far the guard is to standard output, where nothing else can write any more."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def show(self, doing: str, *, is_logged: bool = False) -> None:  # noqa: ARG002
        """Write what happens now."""
        self.write(doing=doing)

    def note(self, line: str) -> None:
        """Write that something has passed."""
        self.write(note=line)

    def write(self, **message: object) -> None:
        """Write a message in one line."""
        self._stream.write(json.dumps(message) + "\n")
        self._stream.flush()


def main(folder: Path) -> None:
    """Run the guard of a folder."""
    output = _Output()
    logging.basicConfig(level=logging.ERROR)
    try:
        report = _run(folder, output)
    except TachoError as error:
        failure = describe_failure(error)
        # People do not know the folder.
        failure["detail"] = failure["detail"].replace(f"{folder}/", "")
        output.write(failure=failure)
    else:
        output.write(report=report.model_dump(mode="json"))


def _run(folder: Path, output: _Output) -> GuardReport:
    order = GuardOrder.model_validate_json((folder / "order.json").read_bytes())
    namespace = (folder / "namespace").read_text(encoding="utf-8")
    base, head = (folder / what / _SERVICE for what in ("base", "head"))
    for target in (base, head):
        output.show(f"unpacking the {target.parent.name}")
        unpack_source(folder / f"{target.parent.name}.tar.gz", target)
    file = parse_service_file(head / FILE_NAME)
    loads = select_loads(file, order.loads)
    guard = Guard(survey_bench(get_settings()), file, loads, order, output, namespace)
    return guard.run((order.base, order.head), (base, head), folder)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except KeyboardInterrupt:
        # The worker has stopped the guard, and logs why.
        sys.exit(130)
