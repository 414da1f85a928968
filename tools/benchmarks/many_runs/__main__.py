"""Measure all pages of an installation after years of use: `make bench-scale`.

The installation has 100,000 runs with 1,000,000 trials, seconds for the newest 5 %, 20 bench hosts
with queues, and 100 people. While the pages are measured, 100 event streams follow the current runs
and the hosts deliver trials. Requests go one at a time over one connection on loopback, in mixed
order, from the browsers of the people in turn, and with the limits of requests on. Hosts and event
streams have the lowest priority, because they would be on other machines. Machines differ by a
factor of two between hours, so the goals are ratios of the server's p95 to that of `GET /verdicts`,
a fixed list, in the same run. Afterwards 300 hosts claim and deliver trials
of their own. The last line is one JSON object.
"""

import argparse
import json
import random
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from sqlalchemy import func, select, text

from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.models import Run, Sample, Trial
from backend.core.runs.queue.host_activity import list_busy_hosts
from tools.benchmarks.accounts import find_first_workspace
from tools.benchmarks.installation import open_installation
from tools.benchmarks.many_runs.calls import FIXED, RESTRICTED, list_calls
from tools.benchmarks.many_runs.fleet import register_fleet
from tools.benchmarks.many_runs.hosts import GOALS as HOST_GOALS
from tools.benchmarks.many_runs.hosts import measure_hosts, start_player
from tools.benchmarks.many_runs.pages import Times, measure, p95, print_times
from tools.benchmarks.many_runs.people import (
    Browsers,
    BrowsersInTurn,
    open_browsers,
    to_document,
)
from tools.benchmarks.many_runs.seeding import seed
from tools.benchmarks.many_runs.size import HOSTS, MANY_HOSTS, PEOPLE, SECONDS, STREAMS, Size
from tools.benchmarks.many_runs.work import add_queue, remove_queue
from tools.benchmarks.measuring import print_result
from tools.benchmarks.seed_scale import vacuum
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import expect

# The p95 of 110 requests of a call differed by a third between two runs.
_REQUESTS = 400
# The server's p95 of each page, divided by that of the fixed list.
_COMPUTED_GOAL = 30
_ADDRESSES = 120
_STAMP = "seeded"
# The hosts need a few seconds to claim their first trials, and the streams to find them.
_START_SECONDS = 60
_STOP_SECONDS = 30
# When a run ends, its streams are closed until the next run of the host has begun.
_LEAST_STREAMS = 0.95 * STREAMS


@dataclass(frozen=True)
class Load:
    """The load while the pages were measured."""

    seconds: float
    trials: int
    streams: float
    events: int
    refused: int


def main() -> None:
    """Print the table and the JSON line. `met` is true if each ratio is within its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="1: 100,000 runs")
    parser.add_argument("--only", choices=("pages", "hosts"), help="measure only this part")
    parser.add_argument("--hosts", type=int, default=MANY_HOSTS, help="of the second part")
    parser.add_argument("--keep", action="store_true", help="keep the data for the next time")
    asked = parser.parse_args()
    size = Size(asked.scale)
    folder = get_settings().data / "many-runs" / f"{size.runs}"
    if not (folder / _STAMP).exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with open_installation(folder):
            seed(size)
        (folder / _STAMP).touch()
    try:
        with open_installation(folder) as stack:
            _measure(stack, asked)
    finally:
        if not asked.keep:
            shutil.rmtree(folder)


def _measure(stack: Stack, asked: argparse.Namespace) -> None:
    figures: dict[str, float] = dict(_count_rows())
    print(", ".join(f"{count:,} {name}" for name, count in figures.items()))
    goals: dict[str, float] = {}
    met = True
    if asked.only != "hosts":
        pages, goals, met = _measure_pages(stack)
        figures |= pages
    if asked.only != "pages":
        with unit_of_work() as session:
            remove_queue(session)
        if not stack.is_running("dispatcher"):
            stack.start_dispatcher()
        of_hosts, is_met = measure_hosts(stack, asked.hosts)
        figures, goals, met = figures | of_hosts, goals | HOST_GOALS, met and is_met
    print_result("scale", figures, goals, met=met)


def _measure_pages(stack: Stack) -> tuple[dict[str, float], dict[str, float], bool]:
    """Return the figures of all pages, their goals, and whether they are met."""
    with unit_of_work() as session:
        # Kept data may be older than the schema. Workers of an older schema start no trials.
        register_fleet(session)
        remove_queue(session)
        add_queue(session)
        browsers = open_browsers(session)
    vacuum("run", "cell", "trial")
    stack.start_dispatcher()
    with _keep_busy(stack, browsers) as loads:
        with unit_of_work() as session:
            workspace_id = find_first_workspace(session)
            calls = list_calls(session, workspace_id, random.Random(1), _ADDRESSES)  # noqa: S311
        with httpx.Client(
            base_url=f"{stack.url}/api/v1",
            timeout=60,
            trust_env=False,
            auth=BrowsersInTurn(browsers, RESTRICTED),
        ) as client:
            times = measure(client, calls, turns=_REQUESTS)
    return _report(times, loads[0])


def _count_rows() -> Iterator[tuple[str, int]]:
    with unit_of_work() as session:
        for name, table in (("runs", Run), ("trials", Trial), ("seconds", Sample)):
            yield name, session.scalar(select(func.count()).select_from(table)) or 0
        megabytes = text("SELECT pg_database_size(current_database()) / 1000000")
        yield "database_mb", session.scalar(megabytes) or 0


@contextmanager
def _keep_busy(stack: Stack, browsers: Browsers) -> Iterator[list[Load]]:
    """Let the hosts deliver trials and streams follow them; at the end, add what happened."""
    hosts = start_player("delivering", "0", str(HOSTS), nice=19)
    followers = start_player("following", f"{stack.url}/api/v1", nice=19)
    loads: list[Load] = []
    try:
        assert followers.stdin is not None
        followers.stdin.write(json.dumps(to_document(browsers)))
        followers.stdin.close()
        followers.stdin = None
        expect(_are_all_busy, _START_SECONDS, f"not all of the {HOSTS} hosts measure")
        # It prints a line when the streams are open.
        assert followers.stdout is not None
        followers.stdout.readline()
        begin = time.monotonic()
        yield loads
        seconds = time.monotonic() - begin
        followers.terminate()
        streams = json.loads(followers.communicate(timeout=_STOP_SECONDS)[0])
        printed = hosts.communicate(timeout=_STOP_SECONDS)[0]
        delivered = json.loads(printed.splitlines()[-1])
        trials = len(delivered["delivered"])
        loads.append(Load(seconds=round(seconds, 1), trials=trials, **streams))
    finally:
        for process in (hosts, followers):
            process.kill()
            process.wait()


def _are_all_busy() -> bool:
    """Return whether every host measures a trial."""
    with unit_of_work() as session:
        return len(list_busy_hosts(session)) == HOSTS


def _report(
    times: Mapping[str, Times], load: Load
) -> tuple[dict[str, float], dict[str, float], bool]:
    goals = {name: _COMPUTED_GOAL for name in times if name != FIXED}
    print_times(times, goals)
    print(
        f"Meanwhile: {load.seconds:.0f} s, {load.trials} trials delivered by {HOSTS} hosts, "
        f"{load.streams:.0f} streams open, {load.events:,} events received, "
        f"{load.refused} streams refused, "
        f"{sum(len(own.unavailable) for own in times.values())} requests answered with 503\n"
    )
    fixed_ms = p95(times[FIXED].later)
    figures: dict[str, float] = {
        "people": PEOPLE,
        "hosts": HOSTS,
        "trial_seconds": SECONDS,
        "measured_seconds": load.seconds,
        "delivered_trials": load.trials,
        "open_streams": load.streams,
        "events": load.events,
        f"{FIXED}_server_p95_ms": round(fixed_ms, 2),
        "unavailable": sum(len(own.unavailable) for own in times.values()),
    }
    ratios = {f"{_snake(name)}_ratio": p95(times[name].later) / fixed_ms for name in goals}
    limits = {f"{_snake(name)}_ratio": goal for name, goal in goals.items()}
    missed = [name for name, limit in limits.items() if ratios[name] > limit]
    if missed:
        print(f"Missed: {', '.join(missed)}\n")
    was_busy = load.trials > 0 and load.streams >= _LEAST_STREAMS and not load.refused
    figures |= {name: round(ratio, 2) for name, ratio in ratios.items()}
    goals_shown = {"open_streams": _LEAST_STREAMS, "unavailable": 0} | limits
    met = was_busy and not missed and not figures["unavailable"]
    return figures, goals_shown, met


def _snake(name: str) -> str:
    """Return the name of a figure."""
    return name.replace(" ", "_")


if __name__ == "__main__":
    main()
