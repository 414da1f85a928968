"""Measure how long the API takes for each page.

Requests go one at a time over one connection on loopback, in mixed order. Each call has many
addresses: other runs, other results. First, each address is requested once. Then each is requested
again. The server's time comes from the Server-Timing header. Answers of 304 take as long, because
an ETag is a digest of the body.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import httpx
import numpy as np

# Turns that do not count.
_WARM_UP = 10
_FIXED_EVERY = 5
# Stays as a figure: a slow hour of a shared machine may miss it.
_GOAL_MS = 50
_FIXED = "verdicts"


@dataclass(frozen=True)
class Times:
    """The milliseconds of a call's requests: the first of each address, and later ones; and the
    client's time for later ones. And the milliseconds after which the API answered 503."""

    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    unavailable: list[float] = field(default_factory=list)


def measure(
    client: httpx.Client,
    calls: Mapping[str, Sequence[str]],
    *,
    turns: int,
) -> dict[str, Times]:
    """Return the times of each call, whose addresses are requested in mixed order.

    Others use the API too: pages may change between two requests, and a request that the API could
    not answer is sent again, as its answer demands.

    Args:
        turns: how often each call is requested after the first requests.
    """
    times = {name: Times() for name in calls}
    known = set[str]()
    for _, name, url in _mix(calls, max(map(len, calls.values()))):
        if url not in known:
            times[name].first.append(_request(client, times[name], url)[0])
            known.add(url)
    for turn, name, url in _mix(calls, turns):
        own = times[name] if turn >= _WARM_UP else Times()
        server_ms, whole_ms = _request(client, own, url)
        own.later.append(server_ms)
        own.whole.append(whole_ms)
    return times


def _request(client: httpx.Client, own: Times, url: str) -> tuple[float, float]:
    """Request an address; return the milliseconds of the server and of the client."""
    while True:
        begin = time.perf_counter()
        answer = client.get(url)
        spent_ms = (time.perf_counter() - begin) * 1e3
        retry_seconds = answer.headers.get("Retry-After")
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or retry_seconds is None:
            break
        own.unavailable.append(spent_ms)
        time.sleep(float(retry_seconds))
    if answer.status_code != httpx.codes.OK:
        raise RuntimeError(f"{url}: unexpected status {answer.status_code}: {answer.text[:200]}")
    return float(answer.headers["Server-Timing"].removeprefix("total;dur=")), spent_ms


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


def print_times(times: Mapping[str, Times], goals: Mapping[str, float]) -> None:
    """Print a table with a line per call, whose goals are ratios to the fixed list."""
    fixed_ms = p95(times[_FIXED].later)
    heads = ("first p95", "p50 ms", "p95 ms", "max ms", "× fixed", "goal")
    width = max(16, *(len(name) + 1 for name in times))
    print(" " * width + "".join(f"{head:>10}" for head in heads) + f"{'client p95':>12}")
    for name, own in times.items():
        cells = (
            p95(own.first),
            *np.quantile(own.later, (0.5, 0.95, 1)).tolist(),
            p95(own.later) / fixed_ms,
            goals.get(name),
        )
        shown = "".join(f"{'–' if cell is None else f'{cell:.2f}':>10}" for cell in cells)
        print(f"{name:<{width}}{shown}{p95(own.whole):>12.2f}")
    slowest = max(p95(own.later) for own in times.values())
    print(f"\nSlowest p95 of a page: {slowest:.1f} ms (absolute goal {_GOAL_MS} ms)")


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return float(np.quantile(values, 0.95))
