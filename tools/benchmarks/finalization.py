"""Measure how long a run of 1,000 cells x 10 trials takes to finalize: `make bench-finalization`.

Each trial has an environment of its own: the builds of its cell, and another amount of memory, as
after a boot. The goal is 30 s for summaries, charts and outcome. Seconds of 10 s per trial are
stored. The last line is one JSON object.
"""

import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
from sqlalchemy import select

from backend.core.db import unit_of_work
from backend.core.measurement.measurements.partitions import (
    create_coming_partitions,
    first_of_month,
)
from backend.core.models import CellSummary
from backend.core.results.cell_charts import write_charts
from backend.core.results.cell_summary import write_summaries
from backend.core.results.run_results.answer.stored import write_outcome
from backend.core.results.run_results.service import read_run_results
from backend.core.runs import repository as runs
from tools.benchmarks.installation import open_new_installation
from tools.benchmarks.measuring import print_result
from tools.benchmarks.scale import SeededPair, draw_pairs, draw_run, make_environment
from tools.benchmarks.seed_scale import HOST, copy_runs, put_shapes, register_made_up_host

_CELLS = 1000
_TRIALS = 10
_SECONDS = 10
_GOAL_SECONDS = 30.0


def main() -> None:
    """Print the seconds of each part and the JSON line; `met` is true within the goal."""
    with open_new_installation("finalization"):
        _measure(_seed())


def _seed() -> str:
    """Store an ended run that is not summarised; return its slug."""
    rng = np.random.default_rng(1)
    now = datetime.now(UTC)
    with unit_of_work() as session:
        host = register_made_up_host(session, HOST)
        pairs = draw_pairs(session, rng, 1)
        shapes = put_shapes(session, rng)
        create_coming_partitions(session, first_of_month(now.date(), 0))
    chosen = _repeat(pairs, _CELLS)
    rows = draw_run(rng, host, chosen, 1, now, _TRIALS)
    pair_of = {cell["id"]: (cell, pair) for cell, pair in zip(rows.cells, chosen, strict=True)}
    for number, trial in enumerate(rows.trials):
        trial["environment"] = make_environment(*pair_of[trial["cell_id"]], number)
    with unit_of_work() as session:
        copy_runs(session, rng, [rows], shapes, _SECONDS)
    return str(rows.run["slug"])


def _repeat(pairs: list[SeededPair], cells: int) -> list[SeededPair]:
    """Return as many pairs, each time with another value of the first parameter."""
    found = []
    for number in range(cells):
        pair = pairs[number % len(pairs)]
        name, *_ = pair.parameters
        changed = {name: pair.parameters[name] + number // len(pairs)}
        found.append(replace(pair, parameters=pair.parameters | changed))
    return found


def _measure(slug: str) -> None:
    with unit_of_work() as session:
        run = runs.get_run(session, slug)
        times = [time.monotonic()]
        summaries = write_summaries(session, run)
        times.append(time.monotonic())
        write_charts(session, run.id)
        times.append(time.monotonic())
        write_outcome(session, run, summaries)
        times.append(time.monotonic())
    spent = (end - begin for begin, end in pairwise(times))
    seconds = dict(zip(("summaries", "charts", "outcome"), spent, strict=True))
    total = sum(seconds.values())
    with unit_of_work() as session:
        begin = time.monotonic()
        shown = read_run_results(session, runs.get_run(session, slug))
        page = time.monotonic() - begin
        stored = dict(session.execute(select(CellSummary.cell_id, CellSummary.excluded)).all())
    agrees = {cell.cell.id: cell.summary.excluded for cell in shown.cells} == stored
    for name, took in seconds.items():
        print(f"{name:>12} {took:6.1f} s")
    print(f"{'together':>12} {total:6.1f} s (goal {_GOAL_SECONDS:.0f} s)")
    print(f"{'read again':>12} {page:6.1f} s")
    figures = {f"{name}_seconds": round(value, 2) for name, value in seconds.items()}
    print_result(
        "bench-finalization",
        {
            "cells": _CELLS,
            "trials_per_cell": _TRIALS,
            **figures,
            "total_seconds": round(total, 2),
            "page_seconds": round(page, 2),
            "agrees": agrees,
        },
        {"total_seconds": _GOAL_SECONDS, "agrees": True},
        met=agrees and total <= _GOAL_SECONDS,
    )


if __name__ == "__main__":
    main()
