"""Wait until the machine is idle before examples are recorded."""

import os
import time

_MAX_LOAD = 0.5
_MOST_SECONDS = 300
_PAUSE_SECONDS = 10


def require_idle() -> None:
    """Wait until other programs have hardly used the CPUs for a minute.

    Raises:
        SystemExit: they still do after five minutes.
    """
    deadline = time.monotonic() + _MOST_SECONDS
    while (load := os.getloadavg()[0]) > _MAX_LOAD:
        if time.monotonic() > deadline:
            raise SystemExit(
                f"The load average of the last minute is {load:.1f}. Examples are recorded on an "
                f"idle machine (at most {_MAX_LOAD}). Stop other programs and try again."
            )
        print(f"Waiting until the machine is idle; its load average is {load:.1f} …", flush=True)
        time.sleep(_PAUSE_SECONDS)
