"""Refuse to record examples on a busy machine."""

import os

_MAX_LOAD = 0.5


def require_idle() -> None:
    """End the program if other programs have used the CPUs during the last minute."""
    load = os.getloadavg()[0]
    if load > _MAX_LOAD:
        raise SystemExit(
            f"The load average of the last minute is {load:.1f}. Examples are recorded on an idle "
            f"machine (at most {_MAX_LOAD}). Stop other programs and try again."
        )
