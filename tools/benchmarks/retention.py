"""Measure pages while retention removes the seconds of old runs: `make bench-retention`.

The installation has runs of two years. Seconds older than 180 days are removed, as the dispatcher
does it, but without its pauses between turns. The seconds of every second month are dropped as a
partition. In the other months one run is an example, which keeps its seconds, so the rows of all
other runs are deleted. Requests go one at a time over one connection on loopback, in mixed order,
before, during and after the removal. The goals are ratios of the server's p95 during the removal to
that before and after it. The last line is one JSON object.
"""

import argparse
import multiprocessing
import random
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import httpx
import numpy as np
from sqlalchemy import exists, func, select, text

from backend.core.db import unit_of_work
from backend.core.measurement.measurements.partitions import list_partitions
from backend.core.models import Run, Sample, Trial
from backend.core.operations.retention.periods import Periods
from backend.core.operations.retention.settings import change_installation
from tools.benchmarks.accounts import TokensInTurn, add_tokens
from tools.benchmarks.installation import open_new_installation
from tools.benchmarks.measuring import is_within, print_result
from tools.benchmarks.pages import Times, measure, p95, snake
from tools.benchmarks.scale import SECONDS
from tools.benchmarks.seed_scale import seed, vacuum
from tools.benchmarks.stack import Stack
from worker.dispatcher.retention import remove

_RUNS = 1000
_KEPT_DAYS = 180
# A pass sends so many requests of each call. As many passes come before the removal as after it.
_REQUESTS = 20
_QUIET_PASSES = 5
_TOKENS = 100
_GOAL_RATIO = 1.5
_GOAL_LONGEST_MS = 1000
_EXAMPLES = text(
    """
    UPDATE run SET example = true WHERE id IN (
        SELECT DISTINCT ON (date_trunc('month', created_at)) id FROM run
        WHERE extract(month FROM created_at)::int % 2 = 0
        ORDER BY date_trunc('month', created_at), created_at
    )
    """
)


def main() -> None:
    """Print the table and the JSON line. `met` is true if each ratio is within its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=_RUNS)
    runs = parser.parse_args().runs
    with open_new_installation("retention") as stack:
        seed(runs, SECONDS)
        with unit_of_work() as session:
            session.execute(_EXAMPLES)
        vacuum()
        _measure(stack, runs)


def _measure(stack: Stack, runs: int) -> None:
    auth = TokensInTurn(add_tokens(_TOKENS))
    calls = _list_calls(random.Random(1))  # noqa: S311  the same each time
    before = _count_stored()
    with httpx.Client(
        base_url=f"{stack.url}/api/v1", timeout=30, trust_env=False, auth=auth
    ) as client:
        quiet = [_measure_pass(client, calls) for _ in range(_QUIET_PASSES)]
        with unit_of_work() as session:
            change_installation(session, Periods(_KEPT_DAYS, None))
        remover = multiprocessing.get_context("spawn").Process(target=_remove_all)
        begin = time.monotonic()
        remover.start()
        during: list[dict[str, Times]] = []
        while remover.is_alive():
            during.append(_measure_pass(client, calls))
        seconds = time.monotonic() - begin
        remover.join()
        quiet += [_measure_pass(client, calls) for _ in range(_QUIET_PASSES)]
    if remover.exitcode != 0 or len(during) < 2:
        raise RuntimeError("The removal failed, or ended before the pages could be measured.")
    # The last pass may have outlasted the removal.
    _report(runs, seconds, before, quiet, during[:-1])


def _remove_all() -> None:
    """Repeat the task of the dispatcher until nothing is left to remove."""
    has_rows = select(exists().where(Run.has_removed_rows))
    while True:
        remove()
        with unit_of_work() as session:
            if not session.scalar(has_rows):
                return


def _measure_pass(client: httpx.Client, calls: Mapping[str, Sequence[str]]) -> dict[str, Times]:
    return measure(client, calls, untagged=set(calls), is_busy=True)


def _list_calls(rng: random.Random) -> dict[str, list[str]]:
    """Return the addresses of each call. The runs are so new that they keep their seconds."""
    newest = datetime.now(UTC) - timedelta(days=_KEPT_DAYS // 2)
    with unit_of_work() as session:
        slugs = session.scalars(select(Run.slug).where(Run.created_at > newest)).all()
        trials = session.scalars(
            select(Trial.id).join(Run, Run.id == Trial.run_id).where(Run.created_at > newest)
        ).all()
    runs = rng.choices(slugs, k=_REQUESTS)
    history = "framework=node&scenario=hello&limit=1000"
    return {
        "verdicts": ["/verdicts"] * _REQUESTS,
        "home": ["/home"] * _REQUESTS,
        "runs": ["/runs"] * _REQUESTS,
        "run": [f"/runs/{slug}" for slug in runs],
        "answer": [f"/runs/{slug}/answer" for slug in runs],
        "history": [f"/history?{history}"] * _REQUESTS,
        "series": [f"/trials/{trial}/series" for trial in rng.choices(trials, k=_REQUESTS)],
    }


def _count_stored() -> tuple[int, int]:
    """Return the numbers of stored seconds and of months that have a partition."""
    with unit_of_work() as session:
        seconds = session.scalar(select(func.count()).select_from(Sample)) or 0
        return seconds, len(list_partitions(session))


def _report(
    runs: int,
    seconds: float,
    before: tuple[int, int],
    quiet: Sequence[Mapping[str, Times]],
    during: Sequence[Mapping[str, Times]],
) -> None:
    left = _count_stored()
    removed, dropped = before[0] - left[0], before[1] - left[1]
    print(
        f"{runs:,} runs, {before[0]:,} seconds; {removed:,} removed in {seconds:.0f} s "
        f"({removed / seconds:,.0f} a second), {dropped} months dropped\n"
    )
    figures: dict[str, float] = {
        "runs": runs,
        "stored_seconds": before[0],
        "removed_seconds": removed,
        "dropped_months": dropped,
        "removal_seconds": round(seconds, 1),
    }
    ratios: dict[str, float] = {}
    longest_ms = 0.0
    heads = ("quiet p50", "quiet p95", "p50 ms", "p95 ms", "max ms", "ratio p95")
    print(" " * 10 + "".join(f"{head:>11}" for head in heads))
    for name in quiet[0]:
        alone = [value for times in quiet for value in times[name].later]
        busy = [value for times in during for value in times[name].later]
        ratio = p95(busy) / p95(alone)
        ratios[f"{snake(name)}_p95_ratio"] = round(ratio, 2)
        longest_ms = max(longest_ms, *busy)
        cells = (np.median(alone), p95(alone), np.median(busy), p95(busy), max(busy), ratio)
        print(f"{name:<10}" + "".join(f"{cell:>11.2f}" for cell in cells))
    print()
    figures |= ratios | {"longest_ms": round(longest_ms, 1)}
    goals = dict.fromkeys(ratios, _GOAL_RATIO) | {"longest_ms": _GOAL_LONGEST_MS}
    met = removed > 0 and dropped > 0 and is_within(figures, goals)
    print_result("retention", figures, goals, met=met)


if __name__ == "__main__":
    main()
