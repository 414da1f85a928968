"""Send random requests and sequences of requests to the API: `make fuzz`.

Schemathesis reads the OpenAPI document of a Tacho without a worker and sends its examples, the
boundaries of each parameter, random values, and sequences in which a request uses what an earlier
response returned. Each response must have a status, headers, a media type and a shape that the
document lists, and must not be a fault of the server. The tables count the responses of each phase,
and what sequences reached. The last line is one JSON object. A seed repeats the requests.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from backend.core.config import ROOT
from backend.core.db import unit_of_work
from backend.core.units import RuntimeKind
from backend.platform.frontend_build import ensure_frontend
from tools.benchmarks.accounts import add_token
from tools.benchmarks.measuring import print_result
from tools.benchmarks.seed_scale import register_made_up_host, seed
from tools.benchmarks.stack import Stack

_CASES = 20_000
_SETTINGS = Path(__file__).with_name("fuzz.toml")
# With this prefix, wrong tokens of other requests do not lock out this token.
_TOKEN = "tacho_of-the-fuzzer"  # noqa: S105
_ENVIRONMENT = {
    "TACHO_TOKEN": _TOKEN,
    "TACHO_LOG_LEVEL": "WARNING",
    "TACHO_LIMIT_REQUESTS": "0",
    "TACHO_LIMIT_QUEUED_TRIALS": "0",
    # Other work may use the machine at the same time.
    "TACHO_STATEMENT_SECONDS": "120",
}
# The hosts of the examples in the OpenAPI document.
_HOSTS = ("bench-01", "bench-02")
# The boundaries of all parameters need this many requests. They are left out of short runs.
_BOUNDARY_CASES = 5_000
_SHORT_CASES = 10_000
# Random requests go to fewer operations than there are, because some have no parameters.
_OPERATIONS = 100
_CASES_PER_SEQUENCE = 50
_RUNS = 8
_SECONDS = 10
_STATEFUL = "stateful"
_CLASSES = (2, 3, 4, 5)
_LOG_CHARACTERS = 20_000


@dataclass
class Tally:
    """Counts of what the requests reached.

    Attributes:
        statuses: responses of each phase by status.
        sequence_steps: steps of sequences that succeeded, by operation and status.
        lifecycles: sequences that created something and deleted it, by operation that creates.
    """

    statuses: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    sequence_steps: Counter[str] = field(default_factory=Counter)
    lifecycles: Counter[str] = field(default_factory=Counter)


def main() -> int:
    """Print the tables and the JSON line, and return 1 if a response broke the contract."""
    options = _parse(sys.argv[1:])
    print(f"Seed {options.seed}: repeat with SEED={options.seed} CASES={options.cases}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tacho-fuzz-") as name:
        folder = Path(name)
        with _serve(folder) as stack:
            result = _send(stack.url, folder, options.seed, options.cases)
        tally = count(folder / "events.ndjson")
        met = _report(result, tally, options.seed, options.cases)
        if not met:
            print((folder / "logs" / "api.log").read_text()[-_LOG_CHARACTERS:], file=sys.stderr)
    return 0 if met else 1


@contextmanager
def _serve(folder: Path) -> Iterator[Stack]:
    """Run a Tacho with finished runs, two idle bench hosts, a member and a token."""
    name = f"fuzz-{os.getpid()}"
    # The HTML export of a run needs the built pages.
    ensure_frontend(ROOT / "frontend", folder / "frontend.log", _show)
    with Stack(folder, RuntimeKind.PROCESS, name, _ENVIRONMENT, is_serving_only=True) as stack:
        stack.use_here()
        seed(_RUNS, _SECONDS, wide_trials=1, wide_seconds=_SECONDS)
        with unit_of_work() as session:
            for host in _HOSTS:
                register_made_up_host(session, host)
        add_token()
        yield stack


def _show(step: str) -> None:
    print(step, file=sys.stderr, flush=True)


def _send(url: str, folder: Path, seed_number: int, cases: int) -> dict[str, Any]:
    """Run Schemathesis, pass on what it prints, and return its report.

    The events of the run are in the folder's `events.ndjson`.
    """
    report = folder / "report.json"
    # From a URL, Schemathesis would wait only 10 s for it.
    contract = folder / "openapi.json"
    headers = {"Authorization": f"Bearer {_TOKEN}"}
    answer = httpx.get(f"{url}/api/v1/openapi.json", headers=headers, trust_env=False, timeout=60)
    contract.write_text(answer.raise_for_status().text)
    settings = folder / "settings.toml"
    settings.write_text(describe_settings(cases))
    subprocess.run(
        [
            str(Path(sys.executable).with_name("st")),
            *("--no-color", "--config-file", str(settings)),
            *("run", str(contract), "--url", url),
            *("--seed", str(seed_number)),
            *("--report-json-path", str(report)),
            *("--report-ndjson-path", str(folder / "events.ndjson")),
        ],
        env=os.environ | {"TACHO_TOKEN": _TOKEN, "NO_PROXY": "127.0.0.1"},
        # Schemathesis keeps a cache in the current folder.
        cwd=folder,
        stdout=sys.stderr,
        check=False,
    )
    result: dict[str, Any] = json.loads(report.read_text()) if report.exists() else {}
    if not result.get("complete"):
        raise SystemExit("Schemathesis did not finish. Its output above shows the reason.")
    return result


def describe_settings(cases: int) -> str:
    """Return the settings with which Schemathesis sends at least this number of requests."""
    has_boundaries = cases >= _SHORT_CASES
    random_cases = cases - _BOUNDARY_CASES if has_boundaries else cases
    return f"""{_SETTINGS.read_text()}
[phases.coverage]
enabled = {str(has_boundaries).lower()}

[phases.fuzzing.generation]
max-examples = {1 + random_cases // _OPERATIONS}

[phases.stateful.generation]
max-examples = {1 + cases // _CASES_PER_SEQUENCE}
"""


def count(events: Path) -> Tally:
    """Return the tally of a run's events, which Schemathesis writes one a line."""
    tally = Tally()
    with events.open() as lines:
        for line in lines:
            scenario = json.loads(line).get("ScenarioFinished")
            if scenario is not None:
                _count_scenario(tally, scenario)
    return tally


def _count_scenario(tally: Tally, scenario: Mapping[str, Any]) -> None:
    """Add the requests of one operation in a phase, or of one sequence."""
    recorder = scenario["recorder"]
    creating: list[str] = []
    for case_id, interaction in recorder.get("interactions", {}).items():
        response = interaction.get("response")
        if response is None:
            continue
        status = response["status_code"]
        tally.statuses[scenario["phase"]][status] += 1
        if scenario["phase"] != _STATEFUL or status >= 400:
            continue
        request = recorder["cases"][case_id]["value"]
        operation = f"{request['method']} {request['path']}"
        tally.sequence_steps[f"{operation} → {status}"] += 1
        if status in {201, 202}:
            creating.append(operation)
        elif request["method"] == "DELETE":
            parent = f"POST {request['path'].rpartition('/')[0]}"
            tally.lifecycles.update(created for created in creating if created == parent)


def _report(result: Mapping[str, Any], tally: Tally, seed_number: int, cases: int) -> bool:
    """Print the tables and the JSON line, and return whether the goals are met."""
    _print(tally)
    generated: int = result["test_cases"]["generated"]
    failures = [
        f"{group['title']}: {', '.join(group['operations'])}" for group in result["failures"]
    ]
    errors = [group["title"] for group in result["errors"]]
    unsuccessful = [
        name
        for name, phase in result["phases"].items()
        if phase["status"] != "success" and (name != "coverage" or cases >= _SHORT_CASES)
    ]
    figures = {
        "seed": seed_number,
        "cases": generated,
        "operations": result["operations"]["tested"],
        "sequence_requests": tally.statuses[_STATEFUL].total(),
        "lifecycles": tally.lifecycles.total(),
        "failures": failures,
        "errors": errors,
        "unsuccessful_phases": unsuccessful,
        "seconds": round(result["running_time"]),
    }
    goals = {
        "cases": cases,
        "lifecycles": 1,
        "failures": [],
        "errors": [],
        "unsuccessful_phases": [],
    }
    met = (
        generated >= cases
        and not failures
        and not errors
        and tally.lifecycles.total() > 0
        and not unsuccessful
    )
    print_result("fuzz", figures, goals, met=met)
    return met


def _print(tally: Tally) -> None:
    print(f"{'phase':<12}{'responses':>10}" + "".join(f"{first}xx".rjust(8) for first in _CLASSES))
    for phase, statuses in tally.statuses.items():
        by_class = Counter[int]()
        for status, number in statuses.items():
            by_class[status // 100] += number
        counts = "".join(f"{by_class[first]:>8,}" for first in _CLASSES)
        print(f"{phase:<12}{statuses.total():>10,}{counts}")
    for title, counter in (
        ("steps of sequences that succeeded", tally.sequence_steps),
        ("sequences that created and deleted", tally.lifecycles),
    ):
        print(f"\n{title}")
        for name, number in sorted(counter.items()):
            print(f"{number:>8,}  {name}")
    print()


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=_CASES, help=f"default {_CASES:,}")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))  # noqa: S311
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
