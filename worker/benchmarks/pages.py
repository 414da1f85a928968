"""Measures how long the API takes for each page of a large installation: `make bench-api`.

The installation is seeded if it is missing. Requests go one at a time over one connection on
loopback, each for another run or other results, in mixed order. The goal applies to the server's
time, from the Server-Timing header. The table also has the client's time for the whole answer and
its ratio to that of `GET /verdicts`, a fixed list. The last line is one JSON object.
"""

import argparse
import random
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

import httpx
import numpy as np
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.models import CellSummary, Run
from worker.benchmarks.installation import (
    add_runs_option,
    ensure_installation,
    open_installation,
)
from worker.benchmarks.measuring import print_result
from worker.benchmarks.seed_scale import HOST

_REQUESTS = 200
_WARM_UP = 10
_GOAL_MS = 50
_COMPARED = 8
_FLOOR = "verdicts"

Ask = Callable[[], str]


def main() -> None:
    """Print the table and the JSON line. `met` is true if each p95 is within the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=_REQUESTS, help="of each call")
    add_runs_option(parser)
    asked = parser.parse_args()
    installation = ensure_installation(asked.runs)
    with open_installation(installation) as stack:
        stack.use_here()
        with httpx.Client(base_url=f"{stack.url}/api/v1", timeout=30, trust_env=False) as client:
            calls = _calls(random.Random(1))  # noqa: S311  the same choice each time
            times = measure(client, calls, asked.requests)
    server, whole = (
        {
            name: np.quantile([item[side] for item in own], (0.5, 0.95, 1)).round(1).tolist()
            for name, own in times.items()
        }
        for side in range(2)
    )
    floor_ms = whole[_FLOOR][0]
    print(f"{installation}\n")
    heads = ("p50 ms", "p95 ms", "max ms")
    print(f"{'':<14}{'server':>10}{'':20}{'answer':>10}")
    print(f"{'':<14}" + "".join(f"{head:>10}" for head in (*heads, *heads, "× fixed")))
    for name, quantiles in server.items():
        shown = "".join(f"{item:>10}" for item in (*quantiles, *whole[name]))
        print(f"{name:<14}{shown}{whole[name][0] / floor_ms:>10.1f}")
    figures = {"runs": installation.runs} | {
        f"{name.replace(' ', '_')}_{what}_p95_ms": quantiles[name][1]
        for name in server
        for what, quantiles in (("server", server), ("answer", whole))
    }
    met = all(p95 <= _GOAL_MS for _, p95, _ in server.values())
    print_result("api", figures, {"server_p95_ms": _GOAL_MS}, met=met)


def measure(
    client: httpx.Client, calls: Mapping[str, Ask], requests: int
) -> dict[str, list[tuple[float, float]]]:
    """Return the milliseconds of each call's requests, in mixed order: the server's time and the
    whole time."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for number in range(_WARM_UP + requests):
        for name, ask in calls.items():
            url = ask()
            begin = time.perf_counter()
            answer = client.get(url).raise_for_status()
            spent_ms = (time.perf_counter() - begin) * 1e3
            server_ms = float(answer.headers["Server-Timing"].removeprefix("total;dur="))
            if number >= _WARM_UP:
                times[name].append((server_ms, spent_ms))
    return times


def _calls(rng: random.Random) -> dict[str, Ask]:
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

    history = {"framework": "node", "scenario": "hello", "limit": 1000}
    return {
        _FLOOR: lambda: "/verdicts",
        "run": lambda: f"/runs/{rng.choice(slugs)}",
        "runs": lambda: "/runs?limit=50",
        "history": lambda: f"/history?{urlencode(history)}",
        "compare": lambda: f"/comparisons?{choose()}",
        "compare charts": lambda: f"/comparisons/charts?{choose()}",
        "leaderboard": lambda: (
            "/leaderboard?" + urlencode({"scenario": rng.choice(scenarios), "host": HOST})
        ),
    }


if __name__ == "__main__":
    main()
