"""Cheating services, with the check that must catch each."""

import shutil
from itertools import chain
from pathlib import Path

_RECORDS = "answers the country's universities, in the file's order"
_STEPS = "answers the number that the steps of all six services make"
_ONCE = "each service takes each message exactly once, the same message again included"
# Scenarios with several services, by the fixture that implements them.
_TOPOLOGIES = {"gateway": ("hello-gateway", "universities"), "chain": ("chain",)}
CHEATS = {
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
    ("chain", "rate-quick"): {
        "skips-a-service": f"POST /chain sent together {_STEPS}",
        "all-in-the-first": f"POST /chain sent together {_STEPS}",
        "keeps-text-back": f"POST /chain sent together {_STEPS}",
        "answers-own-text": (
            "POST /chain sent together answers the text as the sixth service has cut it"
        ),
        "keeps-answers": _ONCE,
        "calls-twice": _ONCE,
    },
}


def honest(scenario: str) -> str:
    """A framework that honours the scenario's contract, to run next to the cheats."""
    fixtures = (name for name, scenarios in _TOPOLOGIES.items() if scenario in scenarios)
    fixture = next(fixtures, None)
    return "go-nethttp" if fixture is None else f"honest-{fixture}"


def copy_topologies(fixtures: Path, folder: Path) -> None:
    """Copy the fixtures of topologies to `folder`: once unchanged, and once for each cheat by
    name."""
    for fixture, scenarios in _TOPOLOGIES.items():
        lies = [cheats for (scenario, _), cheats in CHEATS.items() if scenario in scenarios]
        for slug in (f"honest-{fixture}", *chain.from_iterable(lies)):
            shutil.copytree(fixtures / fixture, folder / slug)
            manifest = folder / slug / "service.toml"
            manifest.write_text(manifest.read_text().replace(f"honest-{fixture}", slug))
