"""Measure the API under more load than it can serve, and under attack: `make bench-limits`.

It starts a Tacho without a worker, fills it with 40 runs and a run of 80 trials × 180 s, and
measures `GET /runs` of one client: first alone, then while other clients fetch the largest run over
200 connections, follow a queued run over 200 event streams, and make 16 exports at the same time.
These clients honour Retry-After and run in a separate process. All of them send access tokens, and
the limits of requests and streams are on.

Then one attacker after the other (`tools.benchmarks.attacks`) tries to keep the API busy, for 12 s
or with 300 distinct queries, and the same client measures again, before and during each attack.
Everything is on loopback. The last line is one JSON object.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import httpx
import numpy as np
import psutil
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.models import Cell, Framework, Run, Scenario
from backend.core.runs.live.event_stream import RunStream, publish
from backend.core.runs.live.events import LogEvent
from backend.core.statuses import RunStatus
from tools.benchmarks.accounts import TokensInTurn, add_tokens
from tools.benchmarks.attacks import ATTACKS, AttackTarget
from tools.benchmarks.installation import open_new_installation
from tools.benchmarks.many_runs.pages import p95
from tools.benchmarks.measuring import is_within, print_result
from tools.benchmarks.needs import require_frontend
from tools.benchmarks.seed_scale import HOST, seed
from tools.benchmarks.stack import Stack

_RUNS = 40
_SECONDS = 30
_WIDE_TRIALS = 4
_WIDE_SECONDS = 180
_READERS = 200
_STREAMS = 200
_EXPORTS = 16
_ALONE = 200
# Each token has its own limit of requests and streams.
_TOKENS = 60
_OWN_TOKENS = 10
_PAUSE_SECONDS = 0.02
_MOST_SECONDS = 120
_GOALS = {
    "list_p95_times": 3.0,
    "memory_growth_mb": 200,
    "faults": 0,
    "unanswered": 0,
    "attacks_p95_times": 3.0,
    "attacks_memory_growth_mb": 200,
    "attacks_refused": 0,
}
_ALONE_BEFORE_ATTACK = 100
# After an attack, until its connections are closed and its last requests have ended.
_REST_SECONDS = 5.0


@dataclass(frozen=True)
class _Times:
    """Durations of the probe alone and under one load, in milliseconds.

    Attributes:
        statuses: of the probe under load.
        others: the number of responses that the load got, by status; of the first load by kind.
        growth_mb: what the API's memory grew by.
    """

    alone: list[float]
    loaded: list[float]
    statuses: dict[str, int]
    others: dict[str, Any]
    growth_mb: float

    @property
    def times(self) -> float:
        """Return how many times as long the 95th percentile is under load."""
        return p95(self.loaded) / p95(self.alone)

    @property
    def refused(self) -> int:
        """Return how many requests of the probe got another status than 200."""
        return sum(self.statuses.values()) - self.statuses.get("200", 0)

    def show(self) -> dict[str, object]:
        """Return the figures of the JSON line."""
        return {
            "alone_p95_ms": round(p95(self.alone), 1),
            "p95_ms": round(p95(self.loaded), 1),
            "p95_times": round(self.times, 2),
            "memory_growth_mb": round(self.growth_mb, 1),
            "answers": self.others,
            "GET /runs": self.statuses,
        }


def main() -> None:
    """Print the table and the JSON line. `met` is true if all goals are met."""
    if len(sys.argv) > 1:
        url, slug, followed = sys.argv[1:]
        tokens = sys.stdin.read().split()
        print("begins", flush=True)
        print(json.dumps(asyncio.run(_load(url, slug, followed, tokens))))
        return
    # The exported file is a page of the interface.
    require_frontend()
    with open_new_installation("limits") as stack:
        begin = time.monotonic()
        slug = seed(_RUNS, _SECONDS, wide_trials=_WIDE_TRIALS, wide_seconds=_WIDE_SECONDS)
        print(f"seeded in {time.monotonic() - begin:.0f} s")
        _measure(stack, slug)


def _measure(stack: Stack, slug: str) -> None:
    url = f"{stack.url}/api/v1"
    cell = {"framework": "node", "scenario": "hello"}
    followed = UUID(stack.create_run([cell])["id"])
    tokens = add_tokens(_TOKENS)
    auth = TokensInTurn(tokens[:_OWN_TOKENS])
    with httpx.Client(base_url=url, timeout=60, trust_env=False, auth=auth) as client:
        # Warm up, so that everything is imported and all connections are open.
        for path in ("/runs", f"/runs/{slug}", f"/runs/{slug}/export.html") * 3:
            client.get(path).raise_for_status()
        load = ("limits", url, slug, str(followed))
        loaded = _measure_under(
            stack, client, load, "\n".join(tokens[_OWN_TOKENS:]), _ALONE, followed
        )
        target = json.dumps(asdict(_choose_target(url, tokens[-1])))
        attacks = {}
        for name in ATTACKS:
            time.sleep(_REST_SECONDS)
            attacks[name] = _measure_under(
                stack, client, ("attacks", name), target, _ALONE_BEFORE_ATTACK
            )
    _report(loaded, attacks)


def _measure_under(
    stack: Stack,
    client: httpx.Client,
    command: Sequence[str],
    written: str,
    count_alone: int,
    followed: UUID | None = None,
) -> _Times:
    """Return the durations of the probe before and during a load.

    Args:
        command: module and arguments of the program that sends the load. It prints a line when it
            begins.
        written: to its standard input.
        followed: the run whose streams get an event after each request of the probe.
    """
    before_mb = _memory_mb(stack)
    alone, _ = _time_list(client, lambda number: number < count_alone, lambda: None)
    peaks_mb = [before_mb]

    def look() -> None:
        peaks_mb.append(_memory_mb(stack))
        if followed is not None:
            event = LogEvent(trial_id=UUID(int=0), name="build", line=f"{len(peaks_mb)}")
            publish(RunStream(HOST, followed), event)

    module, *arguments = command
    with subprocess.Popen(
        [sys.executable, "-m", f"tools.benchmarks.{module}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as load:
        assert load.stdin is not None
        assert load.stdout is not None
        load.stdin.write(written)
        load.stdin.close()
        load.stdout.readline()
        loaded, statuses = _time_list(client, lambda _: load.poll() is None, look)
        others = json.loads(load.stdout.read())
    return _Times(alone, loaded, statuses, others, max(peaks_mb) - before_mb)


def _choose_target(url: str, token: str) -> AttackTarget:
    """Return what the attacker knows: an account, and finished results."""
    with unit_of_work() as session:
        found = session.execute(
            select(Cell.id, Framework.slug, Scenario.slug)
            .join(Run, Run.id == Cell.run_id)
            .join(Framework, Framework.id == Cell.framework_id)
            .join(Scenario, Scenario.id == Cell.scenario_id)
            .where(Run.status == RunStatus.SUCCEEDED)
            .order_by(Cell.id)
        ).all()
    pairs = sorted({(framework, scenario) for _, framework, scenario in found})
    return AttackTarget(url, token, [str(cell_id) for cell_id, *_ in found], pairs)


def _report_attacks(attacks: dict[str, _Times]) -> None:
    print(f"\n{'attack':<24}{'alone p95':>10}{'p95 ms':>10}{'times':>8}{'MB':>8}  responses")
    for name, found in attacks.items():
        print(
            f"{name:<24}{p95(found.alone):>10.1f}{p95(found.loaded):>10.1f}{found.times:>8.2f}"
            f"{found.growth_mb:>8.1f}  {_list_statuses(found.others)}; "
            f"GET /runs: {_list_statuses(found.statuses)}"
        )


def _list_statuses(statuses: dict[str, int]) -> str:
    return ", ".join(f"{count:,} × {status}" for status, count in sorted(statuses.items()))


def _report(found: _Times, attacks: dict[str, _Times]) -> None:
    print(f"{'':<16}{'p50 ms':>10}{'p95 ms':>10}{'max ms':>10}{'requests':>10}")
    for name, times in (("alone", found.alone), ("under load", found.loaded)):
        quantiles = np.quantile(times, (0.5, 0.95, 1)).round(1).tolist()
        print(
            f"{name:<16}"
            + "".join(f"{quantile:>10}" for quantile in quantiles)
            + f"{len(times):>10}"
        )
    print()
    answers = found.others | {"GET /runs": found.statuses}
    for name, statuses in answers.items():
        print(f"{name:<16}{_list_statuses(statuses)}")
    _report_attacks(attacks)
    ends = Counter[str]()
    for statuses in answers.values():
        ends.update(statuses)
    figures = {
        "list_alone_p95_ms": round(p95(found.alone), 1),
        "list_loaded_p95_ms": round(p95(found.loaded), 1),
        "list_p95_times": round(found.times, 2),
        "memory_growth_mb": round(found.growth_mb, 1),
        "faults": sum(count for end, count in ends.items() if end.startswith("5") and end != "503"),
        # Broken connections, and exports that took too long.
        "unanswered": sum(count for end, count in ends.items() if not end.isdigit()),
        "attacks_p95_times": round(max(each.times for each in attacks.values()), 2),
        "attacks_memory_growth_mb": round(max(each.growth_mb for each in attacks.values()), 1),
        "attacks_refused": sum(each.refused for each in attacks.values()),
        "answers": answers,
        "attacks": {name: each.show() for name, each in attacks.items()},
    }
    print_result("limits", figures, _GOALS, met=is_within(figures, _GOALS))


def _time_list(
    client: httpx.Client, goes_on: Callable[[int], bool], look: Callable[[], None]
) -> tuple[list[float], dict[str, int]]:
    """Return the milliseconds of sequential `GET /runs`, and the number of responses by status."""
    times: list[float] = []
    statuses: Counter[str] = Counter()
    while goes_on(len(times)):
        begin = time.perf_counter()
        answer = client.get("/runs")
        times.append((time.perf_counter() - begin) * 1e3)
        statuses[str(answer.status_code)] += 1
        look()
        time.sleep(_PAUSE_SECONDS)
    return times, dict(statuses)


def _memory_mb(stack: Stack) -> float:
    api = psutil.Process(stack.get_pid("api"))
    processes = [api, *api.children(recursive=True)]
    return sum(process.memory_info().rss for process in processes) / 1e6


async def _load(url: str, slug: str, followed: str, tokens: list[str]) -> dict[str, dict[str, int]]:
    """Return the number of responses by status when all exports are complete."""
    answers: dict[str, Counter[str]] = {"run": Counter(), "export": Counter(), "events": Counter()}
    timeout = httpx.Timeout(60, pool=None)
    # Shorter than the API's limit for idle connections, so that none is closed at the moment of its
    # next use.
    limits = httpx.Limits(max_connections=None, keepalive_expiry=2)
    async with httpx.AsyncClient(
        base_url=url, timeout=timeout, limits=limits, trust_env=False, auth=TokensInTurn(tokens)
    ) as client:
        streams = [
            asyncio.create_task(_follow(client, followed, answers["events"]))
            for _ in range(_STREAMS)
        ]
        readers = [
            asyncio.create_task(_read(client, f"/runs/{slug}", answers["run"]))
            for _ in range(_READERS)
        ]
        suffixes = ("json", "html")
        exports = (
            _read(client, f"/runs/{slug}/export.{suffixes[number % 2]}", answers["export"], 1)
            for number in range(_EXPORTS)
        )
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                await asyncio.gather(*exports)
        except TimeoutError:
            answers["export"]["incomplete"] += 1
        for task in (*streams, *readers):
            task.cancel()
        await asyncio.gather(*streams, *readers, return_exceptions=True)
    return {name: dict(statuses) for name, statuses in answers.items()}


async def _read(
    client: httpx.AsyncClient, path: str, statuses: "Counter[str]", wanted: int | None = None
) -> None:
    """Request a path until the number of complete responses is reached. After 429 and 503, wait as
    Retry-After requires."""
    done = 0
    while wanted is None or done < wanted:
        status, retry_seconds = await _get(client, path)
        statuses[status] += 1
        done += status == "200"
        await asyncio.sleep(retry_seconds)


async def _get(client: httpx.AsyncClient, path: str) -> tuple[str, float]:
    try:
        async with client.stream("GET", path) as answer:
            async for _ in answer.aiter_raw():
                pass
    except httpx.HTTPError as error:
        return type(error).__name__, 1.0
    return str(answer.status_code), float(answer.headers.get("Retry-After", 0))


async def _follow(client: httpx.AsyncClient, run_id: str, statuses: "Counter[str]") -> None:
    """Follow a run, and reconnect when the stream ends."""
    while True:
        try:
            async with client.stream("GET", f"/runs/{run_id}/events") as answer:
                statuses[str(answer.status_code)] += 1
                async for _ in answer.aiter_raw():
                    pass
        except httpx.HTTPError as error:
            statuses[type(error).__name__] += 1
        await asyncio.sleep(1)


if __name__ == "__main__":
    main()
