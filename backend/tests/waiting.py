"""Wait for other threads and processes."""

import time
from collections.abc import Callable

from sqlalchemy import text
from sqlalchemy.orm import Session

# Long enough for a busy machine.
LIMIT_S = 300.0


def wait_for(condition: Callable[[], bool], limit_s: float = LIMIT_S) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {limit_s:.0f} s in vain"
        time.sleep(0.02)


def wait_for_blocked(session: Session, timeout_s: float = LIMIT_S, *, count: int = 1) -> None:
    """Wait until this many other connections wait for a lock that this session holds."""
    blocked = text(
        "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    )
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        # Otherwise, a transaction sees the activity at the time of its first query.
        session.execute(text("SELECT pg_stat_clear_snapshot()"))
        if (session.scalar(blocked) or 0) >= count:
            return
        time.sleep(0.005)
    raise TimeoutError(f"fewer than {count} waited for locks within {timeout_s} s")
