"""Cheating services, with the check that must catch each."""

import shutil
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from backend.core.units import Verdict

_RECORDS = "answers the country's universities, in the file's order"
_STEPS = "answers the number that the steps of all six services make"
_ONCE = "each service takes each message exactly once, the same message again included"
# Scenarios with several services, by the fixture that implements them.
_TOPOLOGIES = {"gateway": ("hello-gateway", "universities"), "chain": ("chain",)}
CHEATS = {
    ("slow-upstream", "rate-quick"): {
        "no-upstream-call": "GET / calls the upstream once",
        "no-wait": "GET / waits for the upstream",
        "wrong-content-type": "GET / answers plain text",
    },
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
        "no-objects": "POST /articles refuses what is not a list of articles",
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
# Services that pass verification and cheat under load, with their scenario and verdicts.
UNDER_LOAD = {
    "remembers-answers": ("slow-upstream", {Verdict.WORK_NOT_DONE}),
    "answers-early": ("slow-upstream", {Verdict.FASTER_THAN_POSSIBLE}),
    "wrong-for-a-while": ("hello", {Verdict.WRONG_ANSWERS}),
    "allows-every-method": ("hello", {Verdict.BEHAVIOUR_CHANGED}),
}
# An honest service that calls its upstream over 12 connections.
OVERLOADED = "few-connections"


def honest(scenario: str) -> str:
    """A framework that honours the scenario's contract, to run next to the cheats."""
    fixtures = (name for name, scenarios in _TOPOLOGIES.items() if scenario in scenarios)
    fixture = next(fixtures, None)
    return "go-nethttp" if fixture is None else f"honest-{fixture}"


def copy_lies(fixtures: Path, folder: Path) -> None:
    """Copy the fixtures that take a lie to `folder`: once unchanged, and once for each lie."""
    for fixture, scenarios in _TOPOLOGIES.items():
        lies = [cheats for (scenario, _), cheats in CHEATS.items() if scenario in scenarios]
        _copy(fixtures / fixture, folder, chain.from_iterable(lies))
    _copy(fixtures / "under-load", folder, (*UNDER_LOAD, OVERLOADED))


def _copy(fixture: Path, folder: Path, lies: Iterable[str]) -> None:
    """Copy a fixture for each lie, whose name becomes the slug, and once as the honest service."""
    honest_slug = f"honest-{fixture.name}"
    for slug in (honest_slug, *lies):
        shutil.copytree(fixture, folder / slug)
        manifest = folder / slug / "service.toml"
        manifest.write_text(manifest.read_text().replace(honest_slug, slug))
