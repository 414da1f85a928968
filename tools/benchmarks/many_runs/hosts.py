"""Let 300 bench hosts claim and deliver trials, the second part of `make bench-scale`.

Each host is played by the code of the workers; only services and load are missing. The runs are
requested one after another while the hosts work, and each run ends and is finalized. The processes
of the hosts share few connections to the database, as behind a pooler of transactions.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from uuid import UUID

import numpy as np
from sqlalchemy import func, select, text

from backend.core.config import get_settings
from backend.core.db import make_single_engine, unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Run, Trial, TrialHistogram
from backend.core.runs.service import create_run
from backend.core.statuses import TrialStatus
from tools.benchmarks.accounts import find_first_workspace
from tools.benchmarks.many_runs.fleet import name_host
from tools.benchmarks.many_runs.size import (
    HOST_PROCESSES,
    SECONDS_OF_MANY_HOSTS,
    TRIALS_OF_MANY_HOSTS,
)
from tools.benchmarks.waiting import expect

GOALS = {
    "claims_p95_ms": 100,
    "connections_most": 100,
    "trials_lost": 0,
    "trials_doubled": 0,
    "runs_not_finalized": 0,
}
_START_SECONDS = 300
_STOP_SECONDS = 60
_SAMPLE_SECONDS = 0.5
_COUNT_CONNECTIONS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
)


@dataclass
class Delivered:
    """The registrations, claims and delivered trials of the hosts."""

    registrations_ms: list[float] = field(default_factory=list)
    claims: list[tuple[float, str, int]] = field(default_factory=list)
    trials: list[str] = field(default_factory=list)


def measure_hosts(count: int) -> tuple[dict[str, float], bool]:
    """Return the figures of this many hosts, and whether they meet the goals.

    A dispatcher must run.
    """
    delivered = Delivered()
    with _watch_connections() as connections:
        processes = [_start(*share) for share in _share_hosts(count)]
        try:
            for process in processes:
                assert process.stdout is not None
                if not process.stdout.readline():
                    raise RuntimeError("A process of the hosts has ended.")
            begin = time.monotonic()
            run_ids = _request_runs(count)
            longest = TRIALS_OF_MANY_HOSTS * 3 * SECONDS_OF_MANY_HOSTS + _START_SECONDS
            expect(lambda: _are_finalized(run_ids), longest, "not all runs are finalized")
            seconds = time.monotonic() - begin
        finally:
            for process in processes:
                _stop(process, delivered)
    figures = _count_trials(run_ids, delivered) | {
        "many_hosts": count,
        "connections_most": max(connections),
        "many_hosts_seconds": round(seconds, 1),
        "registrations_p95_ms": _p95(delivered.registrations_ms),
        "claims_median_ms": round(float(np.median([claim[0] for claim in delivered.claims])), 1),
        "claims_p95_ms": _p95([claim[0] for claim in delivered.claims]),
    }
    missed = [name for name, goal in GOALS.items() if figures[name] > goal]
    print(
        f"{count} hosts: {figures['trials_of_many_hosts']} trials of {len(run_ids)} runs "
        f"delivered in {seconds:.0f} s, claims p95 {figures['claims_p95_ms']} ms, "
        f"{figures['trials_lost']} trials lost, {figures['trials_doubled']} doubled, at most "
        f"{figures['connections_most']} connections to the database\n"
    )
    if missed:
        print(f"Missed: {', '.join(missed)}\n")
    return figures, not missed


def _share_hosts(count: int) -> Iterator[tuple[int, int]]:
    """Return the number of the first host of each process, and how many it has."""
    bounds = np.linspace(0, count, HOST_PROCESSES + 1).astype(int)
    for first, after in pairwise(bounds):
        yield int(first), int(after - first)


def _start(first: int, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tools.benchmarks.many_runs.delivering"),
            *(str(first), str(count)),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _stop(process: "subprocess.Popen[str]", delivered: Delivered) -> None:
    try:
        document = json.loads(process.communicate(timeout=_STOP_SECONDS)[0])
        delivered.registrations_ms += document["registrations_ms"]
        delivered.claims += [tuple(claim) for claim in document["claims"]]
        delivered.trials += document["delivered"]
    finally:
        process.kill()
        process.wait()


def _request_runs(count: int) -> list[UUID]:
    """Request a run on each host, spread over the time of a trial, and return their ids."""
    with unit_of_work() as session:
        workspace_id = find_first_workspace(session)
    cell = CellRequest(
        "go-nethttp",
        "hello",
        "rate-full",
        {"warm_up_seconds": 0, "duration_seconds": SECONDS_OF_MANY_HOSTS, "rate_rps": 1000},
    )
    begin, run_ids = time.monotonic(), []
    for number in range(count):
        due = begin + number * SECONDS_OF_MANY_HOSTS / count
        time.sleep(max(0.0, due - time.monotonic()))
        request = RunRequest([cell], trials=TRIALS_OF_MANY_HOSTS, host=name_host(number))
        with unit_of_work() as session:
            run_ids.append(create_run(session, workspace_id, request).id)
    return run_ids


def _are_finalized(run_ids: Sequence[UUID]) -> bool:
    query = select(func.count()).where(Run.id.in_(run_ids), Run.finalized_at.is_(None))
    with unit_of_work() as session:
        return session.scalar(query) == 0


def _count_trials(run_ids: Sequence[UUID], delivered: Delivered) -> dict[str, float]:
    """Compare what the hosts did with what is stored."""
    with unit_of_work() as session:
        query = select(Trial.id, Trial.attempt).where(
            Trial.run_id.in_(run_ids), Trial.status == TrialStatus.SUCCEEDED
        )
        stored = {str(trial_id): attempt for trial_id, attempt in session.execute(query)}
        query_results = select(func.count()).where(TrialHistogram.trial_id.in_(stored))
        results = session.scalar(query_results) or 0
        unfinalized = session.scalar(
            select(func.count()).where(Run.id.in_(run_ids), Run.finalized_at.is_(None))
        )
    claimed = Counter(trial for _, trial, _ in delivered.claims)
    times_delivered = Counter(delivered.trials)
    expected = len(run_ids) * TRIALS_OF_MANY_HOSTS
    lost = expected - min(len(stored.keys() & times_delivered.keys()), results)
    doubled = sum(
        claimed[trial] > 1 or times_delivered[trial] > 1 or stored.get(trial, 1) > 1
        for trial in claimed.keys() | times_delivered.keys()
    )
    return {
        "trials_of_many_hosts": len(stored),
        "trials_lost": lost,
        "trials_doubled": doubled,
        "runs_not_finalized": unfinalized or 0,
    }


@contextmanager
def _watch_connections() -> Iterator[list[int]]:
    """Count the connections to the database of all programs, twice a second."""
    counts: list[int] = []
    is_over = threading.Event()

    def count() -> None:
        engine = make_single_engine(get_settings().database_url)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            while not is_over.wait(_SAMPLE_SECONDS):
                counts.append(connection.execute(_COUNT_CONNECTIONS).scalar_one())

    thread = threading.Thread(target=count, name="connections")
    thread.start()
    try:
        yield counts
    finally:
        is_over.set()
        thread.join()


def _p95(values: Sequence[float]) -> float:
    return round(float(np.percentile(values, 95)), 1)
