"""Clients that try to keep the API busy, for `make bench-limits`: one process for each attack.

Each attack ends after some seconds, or after 300 responses to distinct queries. It ignores
`Retry-After`, and comes from one address and at most one account. The program prints a line when it
begins, and at the end how often it got each status, as JSON. "closed" is a connection that ended
without a response.
"""

import asyncio
import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import httpx

_HEAD = "GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n"
_SIGN_IN = (
    "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: {}\r\n\r\n"
)
_HEADER_LINES = 3_000_000
_UNKNOWN_KEYS = 190_000
_PIECE_BYTES = 64 * 1024
# Connections and requests of an attack at the same time.
_CONNECTIONS = 10
_SLOW_CONNECTIONS = 500
_REQUESTS = 20
# Until a connection that was closed is opened again.
_PAUSE_SECONDS = 0.05
_MOST_COMPARED = 24
_SECONDS = 12.0
_DISTINCT_QUERIES = 300
_DISTINCT_SECONDS = 60.0


@dataclass(frozen=True)
class AttackTarget:
    """The installation, as the attacks know it.

    Attributes:
        url: of the API, with its prefix.
        token: of the account that the attacker has.
        cells: ids of results.
        pairs: framework and scenario of results.
    """

    url: str
    token: str
    cells: list[str]
    pairs: list[tuple[str, str]]


def main() -> None:
    """Run the attack that the command line names, with the target on standard input."""
    (name,) = sys.argv[1:]
    target = AttackTarget(**json.loads(sys.stdin.read()))
    print("begins", flush=True)
    print(json.dumps(asyncio.run(_attack(ATTACKS[name], target))))


async def _attack(attack: "ApiAttack", target: AttackTarget) -> dict[str, int]:
    statuses: Counter[str] = Counter()
    with suppress(TimeoutError):
        async with asyncio.timeout(attack.most_seconds):
            await attack.send(target, statuses)
    return dict(statuses)


async def _send_endless_headers(target: AttackTarget, statuses: "Counter[str]") -> None:
    def write() -> Iterator[bytes]:
        yield f"{_HEAD}X-Endless: ".encode()
        yield from itertools.repeat(b"x" * _PIECE_BYTES)

    await _open_many(_CONNECTIONS, lambda: _send(target, write(), statuses))


async def _send_many_headers(target: AttackTarget, statuses: "Counter[str]") -> None:
    lines = b"a: b\r\n" * 10_000

    def write() -> Iterator[bytes]:
        yield _HEAD.encode()
        yield from itertools.repeat(lines, _HEADER_LINES // 10_000)
        yield b"\r\n"

    await _open_many(_CONNECTIONS, lambda: _send(target, write(), statuses))


async def _send_unknown_keys(target: AttackTarget, statuses: "Counter[str]") -> None:
    keys = (f'"{number:06x}":1' for number in range(_UNKNOWN_KEYS))
    body = ("{" + ",".join(keys) + "}").encode()

    def write() -> Iterator[bytes]:
        yield _SIGN_IN.format(len(body)).encode()
        for begin in range(0, len(body), _PIECE_BYTES):
            yield body[begin : begin + _PIECE_BYTES]

    await _open_many(_CONNECTIONS, lambda: _send(target, write(), statuses))


async def _send_slow_bodies(target: AttackTarget, statuses: "Counter[str]") -> None:
    async def trickle() -> AsyncIterator[bytes]:
        yield _SIGN_IN.format(10_000).encode()
        while True:
            yield b" "
            await asyncio.sleep(1)

    await _open_many(_SLOW_CONNECTIONS, lambda: _send(target, trickle(), statuses))


async def _send_unknown_parameters(target: AttackTarget, statuses: "Counter[str]") -> None:
    paths = (f"/runs?zz={number}" for number in itertools.count())
    await _request(target, paths, {}, statuses)


async def _send_distinct_queries(target: AttackTarget, statuses: "Counter[str]") -> None:
    headers = {"Authorization": f"Bearer {target.token}"}
    queries = _list_queries(target)
    paths = itertools.takewhile(lambda _: statuses["200"] < _DISTINCT_QUERIES, queries)
    await _request(target, paths, headers, statuses)


def _list_queries(target: AttackTarget) -> Iterator[str]:
    """Yield comparisons, histories and leaderboards, none of them twice."""
    rng = random.Random(1)  # noqa: S311
    scenarios = sorted({scenario for _, scenario in target.pairs})
    for number in itertools.count():
        most = min(_MOST_COMPARED, len(target.cells))
        cells = rng.sample(target.cells, rng.randint(2, most))
        yield f"/comparisons?{urlencode([('cells', cell) for cell in cells])}"
        framework, scenario = rng.choice(target.pairs)
        names = {"framework": framework, "scenario": scenario}
        yield f"/history?{urlencode(names | {'p_value': 1e-6 + number * 1e-6})}"
        weights = f"latency_p99_ms:{1 + number / 1000},cpu_us_per_request:1"
        yield f"/leaderboard?{urlencode({'scenario': rng.choice(scenarios), 'weights': weights})}"


async def _open_many(count: int, open_one: Callable[[], Awaitable[None]]) -> None:
    """Keep this many connections open until the attack ends."""

    async def keep_open() -> None:
        while True:
            await open_one()
            await asyncio.sleep(_PAUSE_SECONDS)

    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(keep_open())


async def _send(
    target: AttackTarget, pieces: "Iterator[bytes] | AsyncIterator[bytes]", statuses: "Counter[str]"
) -> None:
    """Send the pieces over a connection of their own until the API answers or closes it."""
    address = urlsplit(target.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    answer = asyncio.create_task(reader.readline())
    try:
        with suppress(OSError):
            async for piece in _each(pieces):
                writer.write(piece)
                await writer.drain()
                if answer.done():
                    break
        with suppress(OSError):
            await answer
    finally:
        writer.close()
        if not answer.done():
            answer.cancel()
    line = b"" if answer.cancelled() or answer.exception() else answer.result()
    statuses[line.split()[1].decode() if line else "closed"] += 1


async def _each(pieces: "Iterator[bytes] | AsyncIterator[bytes]") -> AsyncIterator[bytes]:
    if isinstance(pieces, AsyncIterator):
        async for piece in pieces:
            yield piece
        return
    for piece in pieces:
        yield piece


async def _request(
    target: AttackTarget, paths: Iterator[str], headers: Mapping[str, str], statuses: "Counter[str]"
) -> None:
    """Request one path after the other, several at the same time."""

    async def go_on(client: httpx.AsyncClient) -> None:
        for path in paths:
            try:
                answer = await client.get(path)
                statuses[str(answer.status_code)] += 1
            except httpx.HTTPError as error:
                statuses[type(error).__name__] += 1

    async with (
        httpx.AsyncClient(
            base_url=target.url, headers=headers, timeout=30, trust_env=False
        ) as client,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(_REQUESTS):
            group.create_task(go_on(client))


@dataclass(frozen=True)
class ApiAttack:
    """An attack, and after how many seconds it ends at the latest."""

    send: Callable[[AttackTarget, "Counter[str]"], Awaitable[None]]
    most_seconds: float = _SECONDS


ATTACKS: Mapping[str, ApiAttack] = {
    "endless headers": ApiAttack(_send_endless_headers),
    "3,000,000 headers": ApiAttack(_send_many_headers),
    "2 MB of unknown keys": ApiAttack(_send_unknown_keys),
    "slow bodies": ApiAttack(_send_slow_bodies),
    "unknown parameters": ApiAttack(_send_unknown_parameters),
    "distinct queries": ApiAttack(_send_distinct_queries, _DISTINCT_SECONDS),
}


if __name__ == "__main__":
    main()
