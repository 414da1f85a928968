"""The health check of a container: ask the API about a part. Exit code 0 or 1.

`python -m backend.platform.healthcheck URL [BENCH_HOST]`: with a name, this bench host must be
online; without it, the database and the broker must answer. It starts often on a machine that
measures, so it imports only the standard library.
"""

import json
import sys
import urllib.error
import urllib.request


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


if __name__ == "__main__":
    try:
        well = is_well(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    except (OSError, ValueError) as problem:
        sys.exit(f"no answer: {problem}")
    sys.exit(0 if well else 1)
