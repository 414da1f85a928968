"""Measure how long the API takes for each page.

Requests go one at a time over one connection on loopback, in mixed order. Each call has many
addresses: other runs, other results. First, each address is requested once. Then each is requested
again, and with the ETag of its response. The server's time comes from the Server-Timing header.
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
# Pages whose responses must have an ETag.
_TAGGED = frozenset(
    (
        *("run", "answer", "ranking", "compare", "compare charts"),
        *("history", "runs", "leaderboard"),
    )
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
    requests = _Requests(client)
    addresses = max(map(len, calls.values()))
    for _, name, url in _mix(calls, addresses):
        if url not in requests.tags:
            times[name].first.append(requests.send(times[name], url).server_ms)
    for turn, name, url in _mix(calls, turns):
        own = times[name] if turn >= _WARM_UP else Times()
        answer = requests.send(own, url)
        own.later.append(answer.server_ms)
        own.whole.append(answer.whole_ms)
        if requests.tags[url]:
            requests.send_again(own, url)
        elif name in _TAGGED:
            raise RuntimeError(f"{url}: the response has no ETag")
    return times


class _Requests:
    """The requests of one client, with the ETags of the responses by address."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
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
