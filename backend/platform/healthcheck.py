"""The health check of a container. Exit code 0 or 1.

`python -m backend.platform.healthcheck URL [BENCH_HOST]` asks the API: with a name, this bench host
must be online; without it, the database and the broker must answer.

`python -m backend.platform.healthcheck --heartbeat FILE` reads when the worker of this container
wrote the file: after each heartbeat that the database has stored.

It starts often on a machine that measures, so it imports only the standard library.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

# Six heartbeats.
_HEARTBEAT_SECONDS = 60.0


def is_well(url: str, bench_host: str | None) -> bool:
    """Return whether the API at `url` reports the part as healthy. Raises OSError if the API does
    not answer."""
    try:
        with urllib.request.urlopen(f"{url}/api/v1/health", timeout=4) as answer:  # noqa: S310
            health = json.load(answer)
    except urllib.error.HTTPError as error:
        health = json.load(error)
    if bench_host is None:
        return bool(health["database"] == health["broker"] == "ok")
    return any(host["name"] == bench_host and host["status"] == "ok" for host in health["hosts"])


def has_heartbeat(file: str) -> bool:
    """Return whether a worker has written the file in the last minute."""
    try:
        written_at = os.stat(file).st_mtime  # noqa: PTH116
    except FileNotFoundError:
        return False
    return time.time() - written_at < _HEARTBEAT_SECONDS


def _check(arguments: list[str]) -> bool:
    if arguments[0] == "--heartbeat":
        return has_heartbeat(arguments[1])
    return is_well(arguments[0], arguments[1] if len(arguments) > 1 else None)


if __name__ == "__main__":
    try:
        well = _check(sys.argv[1:])
    except (OSError, ValueError) as problem:
        sys.exit(f"no answer: {problem}")
    sys.exit(0 if well else 1)
