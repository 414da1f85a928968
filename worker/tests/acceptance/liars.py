"""Services that lie, and how the check that must catch each ends."""

import shutil
from itertools import chain
from pathlib import Path

_RECORDS = "answers the country's universities, in the file's order"
HONEST_GATEWAY = "honest-gateway"
LIARS = {
    ("cars-stream", "users-small-quick"): {
        "buffered-stream": (
            "a slow stream as application/stream+json sends each car as soon as it is there"
        ),
        "one-for-all-types": (
            "GET /cars as application/json answers with Content-Type application/json"
        ),
        "shared-stream": (
            "each of some slow streams at the same time answers the ten cars asked for, in order"
        ),
        "ready-made-stream": (
            "GET /cars as application/stream+json answers the ten cars asked for, in order"
        ),
    },
    ("articles", "rate-quick"): {
        "echoed-list": "POST /articles writes anew what it has read",
        "no-objects": "POST /articles refuses what is no list of articles",
        "own-list": "POST /articles answers the right list",
        "five-sizes": "GET of a small list answers the right list",
    },
    ("hello-gateway", "low-quick"): {
        "answers-by-itself": "GET /gateway forwards what the hello service says",
        "first-answer": "GET /gateway forwards what the hello service says",
        "html-greeting": "GET /gateway answers plain text",
        "shared-answer": "GET /gateway sent together forwards what the hello service says",
    },
    ("universities", "low-quick"): {
        "asks-for-no-token": "no token is refused",
        "any-signature": "a token signed with another secret is refused",
        "unsigned-token": "a token without signature is refused",
        "no-expiry": "a token that has expired is refused",
        "reads-once": f"of Nowhere & Co after the file has changed {_RECORDS}",
        "ignores-country": f"GET /universities of a country there is not {_RECORDS}",
        "one-field-less": f"GET /universities sent together {_RECORDS}",
    },
}


def is_of_gateways(scenario: str) -> bool:
    """Whether its services are those of the fixture `gateway`."""
    return scenario in {"hello-gateway", "universities"}


def copy_gateways(fixture: Path, folder: Path) -> None:
    """Copy the fixture `gateway` to `folder`: once as it is, and for each lie under its name."""
    lies = [liars for (scenario, _), liars in LIARS.items() if is_of_gateways(scenario)]
    for slug in (HONEST_GATEWAY, *chain.from_iterable(lies)):
        shutil.copytree(fixture, folder / slug)
        manifest = folder / slug / "service.toml"
        manifest.write_text(manifest.read_text().replace(HONEST_GATEWAY, slug))
