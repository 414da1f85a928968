"""`python -m worker.runtime.docker.remains`: remove the containers of a worker that has ended.

The guard of the worker runs it. An engine keeps containers after the end of the process that made
them.
"""

import os
import time
from contextlib import suppress

from backend.platform.processes.guard import MARK
from worker.runtime.docker.engine import connect
from worker.runtime.docker.removal import remove_guarded
from worker.runtime.errors import RuntimeUnavailable

# The engine may still execute the last request of the worker.
_LATE_S = 0.3


def main() -> None:
    """Remove the containers, and those that the engine makes meanwhile."""
    # Without an engine there are no containers.
    with suppress(RuntimeUnavailable), connect() as engine:
        remove_guarded(engine, os.environ[MARK])
        time.sleep(_LATE_S)
        while remove_guarded(engine, os.environ[MARK]):
            time.sleep(_LATE_S)


if __name__ == "__main__":
    main()
