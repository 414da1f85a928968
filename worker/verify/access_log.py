"""Finds services that write a line to their log for each request, which the contract forbids."""

import re

# Access logs name the method of a request, in any format.
_OF_REQUEST = re.compile(r"\b(GET|POST)\b")
# Errors are logged with their request too: those of control requests, and of the checks. An access
# log also has the requests of the checks and of the wait for readiness.
_MAX_SHARE = 0.5
_MAX_OF_ERRORS = 50


def find_access_log(name: str, log: str, requests: int) -> str | None:
    """Return a sentence if a service wrote a line for each request; None if it did not.

    Args:
        log: the last lines of the service's log.
        requests: the number of requests of the load.
    """
    lines = sum(1 for line in log.splitlines() if _OF_REQUEST.search(line))
    if lines <= max(_MAX_SHARE * requests, _MAX_OF_ERRORS):
        return None
    return (
        f"{name.capitalize()} wrote {lines:,} lines about requests to its log during "
        f"{requests:,} requests. Switch its access log off."
    )
