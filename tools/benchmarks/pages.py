"""Measures how long the API takes for each page of a large installation: `make bench-api`.

The installation is seeded if it is missing. Requests go one at a time over one connection on
loopback, in mixed order, with access tokens in turn, and with the limits of requests on. Each call
has many addresses: other runs, other results. First, each address is requested once. Then each is
requested again, and with the ETag of its response. Machines differ by a
factor of two between hours, so the goals are ratios of the server's p95 to that of `GET /verdicts`,
a fixed list, in the same run. The server's time comes from the Server-Timing header. The last line
is one JSON object.
"""

import argparse
import random
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

import httpx
import numpy as np
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.models import CellSummary, Run
from tools.benchmarks.accounts import TokensInTurn, add_tokens
from tools.benchmarks.installation import (
    add_runs_option,
    ensure_installation,
    open_installation,
)
from tools.benchmarks.measuring import is_within, print_result
from tools.benchmarks.seed_scale import HOST, vacuum

_REQUESTS = 200
# Turns that do not count.
_WARM_UP = 10
_FIXED_EVERY = 5
# Each token has its own limit of requests.
_TOKENS = 100
# Stays as a figure: a slow hour of a shared machine may miss it.
_GOAL_MS = 50
_COMPARED = 8
_FIXED = "verdicts"
# The server's p95 of each call, divided by that of the fixed list. Every page is computed.
COMPUTED_GOAL = 30
GOALS = dict.fromkeys(
    (
        *("run", "answer", "ranking", "compare", "compare charts"),
        *("history", "runs", "leaderboard"),
    ),
    COMPUTED_GOAL,
)


@dataclass(frozen=True)
class Times:
    """The milliseconds of a call's requests: the first of each address, later ones with a body,
    conditional ones; and the client's time for later ones. And the milliseconds after which the
    API answered 503."""

    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    conditional: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    unavailable: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class _Answer:
    """Milliseconds of the server and of the client, and whether the answer was 304."""

    server_ms: float
    whole_ms: float
    is_known: bool


def main() -> None:
    """Print the table and the JSON line. `met` is true if each ratio is within its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=_REQUESTS, help="of each call")
    add_runs_option(parser)
    asked = parser.parse_args()
    installation = ensure_installation(asked.runs)
    with open_installation(installation.folder) as stack:
        vacuum()
        auth = TokensInTurn(add_tokens(_TOKENS))
        with httpx.Client(
            base_url=f"{stack.url}/api/v1", timeout=30, trust_env=False, auth=auth
        ) as client:
            calls = _list_calls(random.Random(1), asked.requests)  # noqa: S311  the same each time
            times = measure(client, calls)
    figures = _sum_up(times)
    print(f"{installation}\n")
    print_times(times, GOALS)
    goals = {f"{snake(name)}_ratio": goal for name, goal in GOALS.items()}
    met = is_within(figures, goals)
    print_result("api", {"runs": installation.runs} | figures, goals, met=met)


def measure(
    client: httpx.Client,
    calls: Mapping[str, Sequence[str]],
    *,
    turns: int | None = None,
    untagged: Collection[str] = (_FIXED,),
    is_busy: bool = False,
) -> dict[str, Times]:
    """Return the times of each call, whose addresses are requested in mixed order.

    Args:
        turns: how often each call is requested after the first requests. Default: the number of
            addresses of the call with the most.
        untagged: calls whose responses need no ETag.
        is_busy: whether others use the API too. Pages may change between two requests, and a
            request that the API could not answer is sent again, as its answer demands.
    """
    times = {name: Times() for name in calls}
    requests = _Requests(client, is_busy=is_busy)
    addresses = max(map(len, calls.values()))
    for _, name, url in _mix(calls, addresses):
        if url not in requests.tags:
            times[name].first.append(requests.send(times[name], url).server_ms)
    for turn, name, url in _mix(calls, turns or addresses):
        own = times[name] if turn >= _WARM_UP else Times()
        answer = requests.send(own, url)
        own.later.append(answer.server_ms)
        own.whole.append(answer.whole_ms)
        if requests.tags[url]:
            requests.send_again(own, url)
        elif name not in untagged:
            raise RuntimeError(f"{url}: the response has no ETag")
    return times


class _Requests:
    """The requests of one client, with the ETags of the responses by address."""

    def __init__(self, client: httpx.Client, *, is_busy: bool) -> None:
        self._client = client
        self._is_busy = is_busy
        self.tags: dict[str, str] = {}

    def send(self, own: Times, url: str, tag: str | None = None) -> _Answer:
        """Request an address, if it has another ETag than `tag`; remember its ETag."""
        headers = {"If-None-Match": tag} if tag else {}
        while True:
            begin = time.perf_counter()
            answer = self._client.get(url, headers=headers)
            spent_ms = (time.perf_counter() - begin) * 1e3
            retry_seconds = answer.headers.get("Retry-After")
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or retry_seconds is None:
                break
            if not self._is_busy:
                raise RuntimeError(f"{url}: the API is not available")
            own.unavailable.append(spent_ms)
            time.sleep(float(retry_seconds))
        if answer.status_code not in ({200, 304} if tag else {200}):
            raise RuntimeError(
                f"{url}: unexpected status {answer.status_code}: {answer.text[:200]}"
            )
        self.tags[url] = answer.headers.get("ETag", "")
        server_ms = float(answer.headers["Server-Timing"].removeprefix("total;dur="))
        return _Answer(server_ms, spent_ms, answer.status_code == httpx.codes.NOT_MODIFIED)

    def send_again(self, own: Times, url: str) -> None:
        """Request an address that should have the ETag of its last response."""
        known = self.send(own, url, self.tags[url])
        if known.is_known:
            own.conditional.append(known.server_ms)
        elif not self._is_busy:
            raise RuntimeError(f"{url}: the same page was sent again")


def _mix(calls: Mapping[str, Sequence[str]], turns: int) -> Iterator[tuple[int, str, str]]:
    """Yield turn, name and address of each request: one of each call, then the next of each call.

    The fixed list comes before every fifth call, because all ratios depend on its time.
    """
    others = [(name, urls) for name, urls in calls.items() if name != _FIXED]
    for turn in range(turns):
        for place, (name, urls) in enumerate(others):
            if place % _FIXED_EVERY == 0:
                yield turn, _FIXED, calls[_FIXED][0]
            yield turn, name, urls[turn % len(urls)]


def _sum_up(times: Mapping[str, Times]) -> dict[str, float]:
    fixed_ms = p95(times[_FIXED].later)
    figures = {f"{_FIXED}_server_p95_ms": round(fixed_ms, 2)}
    for name in GOALS:
        own, key = times[name], snake(name)
        figures |= {
            f"{key}_server_p95_ms": round(p95(own.later), 2),
            f"{key}_first_p95_ms": round(p95(own.first), 2),
            f"{key}_ratio": round(p95(own.later) / fixed_ms, 2),
            f"{key}_conditional_ratio": round(p95(own.conditional) / fixed_ms, 2),
        }
    return figures


def print_times(times: Mapping[str, Times], goals: Mapping[str, float]) -> None:
    """Print a table with a line per call, whose goals are ratios to the fixed list."""
    fixed_ms = p95(times[_FIXED].later)
    heads = ("first p95", "p50 ms", "p95 ms", "max ms", "× fixed", "goal", "304 p95", "× fixed")
    width = max(16, *(len(name) + 1 for name in times))
    print(" " * width + "".join(f"{head:>10}" for head in heads) + f"{'client p95':>12}")
    for name, own in times.items():
        conditional = p95(own.conditional) if own.conditional else None
        cells = (
            p95(own.first),
            *np.quantile(own.later, (0.5, 0.95, 1)).tolist(),
            p95(own.later) / fixed_ms,
            goals.get(name),
            conditional,
            conditional / fixed_ms if conditional else None,
        )
        shown = "".join(f"{'–' if cell is None else f'{cell:.2f}':>10}" for cell in cells)
        print(f"{name:<{width}}{shown}{p95(own.whole):>12.2f}")
    slowest = max(p95(own.later) for own in times.values())
    print(f"\nSlowest p95 of a page: {slowest:.1f} ms (absolute goal {_GOAL_MS} ms)")


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return float(np.quantile(values, 0.95))


def snake(name: str) -> str:
    """Return the name of a figure."""
    return name.replace(" ", "_")


def _list_calls(rng: random.Random, requests: int) -> dict[str, list[str]]:
    with unit_of_work() as session:
        slugs = session.scalars(select(Run.slug)).all()
        cells = session.execute(select(CellSummary.scenario, CellSummary.cell_id)).all()
    cells_of: dict[str, list[str]] = {}
    for scenario, cell_id in cells:
        cells_of.setdefault(scenario, []).append(str(cell_id))
    scenarios = list(cells_of)
    comparable = [item for item in scenarios if len(cells_of[item]) >= _COMPARED]

    def choose() -> str:
        chosen = rng.sample(cells_of[rng.choice(comparable)], _COMPARED)
        return urlencode([("cells", item) for item in chosen])

    runs = rng.sample(slugs, min(requests, len(slugs)))
    selections = [choose() for _ in range(requests)]
    history = urlencode({"framework": "node", "scenario": "hello", "limit": 1000})
    boards = [urlencode({"scenario": item, "host": HOST}) for item in scenarios]
    return {
        _FIXED: ["/verdicts"],
        "run": [f"/runs/{slug}" for slug in runs],
        "answer": [f"/runs/{slug}/answer" for slug in runs],
        "ranking": [f"/runs/{slug}/ranking" for slug in runs],
        "compare": [f"/comparisons?{selection}" for selection in selections],
        "compare charts": [f"/comparisons/charts?{selection}" for selection in selections],
        "history": [f"/history?{history}"],
        "runs": ["/runs?limit=50"],
        "leaderboard": [f"/leaderboard?{board}" for board in boards],
    }


if __name__ == "__main__":
    main()
