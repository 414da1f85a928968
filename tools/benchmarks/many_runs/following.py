"""Follows the current runs of the hosts over event streams, as open pages do.

`python -m tools.benchmarks.many_runs.following URL` reads cookies from its input, keeps the
streams open until it gets SIGTERM, and prints how many were open and how many events arrived.
"""

import asyncio
import json
import signal
import sys
from contextlib import suppress

import httpx
import numpy as np

from backend.core.db import unit_of_work
from backend.core.runs.queue.host_activity import list_busy_hosts
from tools.benchmarks.many_runs.people import Browsers, BrowsersInTurn
from tools.benchmarks.many_runs.size import STREAMS

_LOOK_SECONDS = 2.0
_RETRY_SECONDS = 0.5
# After so many looks, the measurement begins with fewer streams.
_MOST_LOOKS = 60


class Followers:
    """Streams, each of the current run of a host. When a run ends, a stream follows the next.

    It prints a line when all are open, and counts from then on.
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._runs: list[str] = []
        self._open = 0
        self._counts: list[int] = []
        self._events = 0
        self._refused = 0
        self._is_open = False

    async def run(self, stop: asyncio.Event) -> dict[str, float]:
        """Keep all streams open until `stop`; return what happened."""
        watching = asyncio.create_task(self._watch())
        following = [asyncio.create_task(self._follow(number)) for number in range(STREAMS)]
        await stop.wait()
        for task in (watching, *following):
            task.cancel()
        await asyncio.gather(watching, *following, return_exceptions=True)
        return {
            "streams": round(float(np.mean(self._counts or [0])), 1),
            "events": self._events,
            "refused": self._refused,
        }

    async def _watch(self) -> None:
        while True:
            self._runs = await asyncio.to_thread(_list_current)
            self._counts.append(self._open)
            if not self._is_open and (self._open >= STREAMS or len(self._counts) > _MOST_LOOKS):
                self._is_open = True
                self._counts.clear()
                self._events = self._refused = 0
                print(json.dumps({"open": self._open}), flush=True)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _follow(self, number: int) -> None:
        while True:
            if self._runs:
                with suppress(httpx.HTTPError):
                    await self._read(self._runs[number % len(self._runs)])
            await asyncio.sleep(_RETRY_SECONDS)

    async def _read(self, run_id: str) -> None:
        async with self._client.stream("GET", f"/runs/{run_id}/events") as answer:
            if answer.status_code != httpx.codes.OK:
                self._refused += 1
                return
            self._open += 1
            try:
                async for line in answer.aiter_lines():
                    self._events += line.startswith("event:")
            finally:
                self._open -= 1


def _list_current() -> list[str]:
    """Return the ids of the current runs, by name of their host."""
    with unit_of_work() as session:
        return [str(run_id) for _, run_id in sorted(list_busy_hosts(session).items())]


async def _main(url: str, browsers: Browsers) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=url,
        timeout=httpx.Timeout(60, pool=None),
        limits=limits,
        trust_env=False,
        auth=BrowsersInTurn(browsers),
    ) as client:
        print(json.dumps(await Followers(client).run(stop)))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], Browsers(**json.loads(sys.stdin.read()))))
