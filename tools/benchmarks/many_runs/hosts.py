"""Let 300 bench hosts claim and deliver trials, the second part of `make bench-scale`.

Each host is played by the code of the workers, with its own id and leases; only services and load
are missing. Its trials take a minute, as real ones do at least with their build, start and warm-up,
so five trials are claimed and delivered each second. The runs are requested one after another while
the hosts work, and each run ends and is finalized.

Four processes play the hosts, in threads, on the machine of the database. The hosts of a process
share few connections to the database, as behind a pooler of transactions. A claim is timed as its
host sees it, with the wait for a connection and for the CPU.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from uuid import UUID

import numpy as np
import psutil
from sqlalchemy import func, select, text

from backend.core.config import get_settings
from backend.core.db import make_single_engine, unit_of_work
from backend.core.documents import CellRequest, RunRequest
from backend.core.models import Run, Trial, TrialHistogram
from backend.core.runs.service import create_run
from backend.core.statuses import TrialStatus
from tools.benchmarks.accounts import find_first_workspace
from tools.benchmarks.many_runs.fleet import name_host
from tools.benchmarks.many_runs.pages import p95
from tools.benchmarks.many_runs.size import (
    HOST_PROCESSES,
    SECONDS_OF_MANY_HOSTS,
    TRIALS_OF_MANY_HOSTS,
)
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import has_come

GOALS = {
    "claims_p95_ms": 100,
    "connections_most": 100,
    "trials_lost": 0,
    "trials_doubled": 0,
    "runs_not_finalized": 0,
}
# The runs are requested over the time of a trial. The rest is for what a busy machine delays.
_LONGEST_SECONDS = TRIALS_OF_MANY_HOSTS * SECONDS_OF_MANY_HOSTS + 120
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


def measure_hosts(stack: Stack, count: int) -> tuple[dict[str, float], bool]:
    """Return the figures of this many hosts, and whether they meet the goals.

    The dispatcher of the installation must run. Trials that do not end in time count as lost.
    """
    delivered = Delivered()
    with _watch_connections() as connections:
        processes = [
            start_player("delivering", str(first), str(own)) for first, own in _share_hosts(count)
        ]
        try:
            for process in processes:
                assert process.stdout is not None
                if not process.stdout.readline():
                    raise RuntimeError("A process of the hosts has ended.")
            load_average = os.getloadavg()[0]
            cpu_seconds = _read_cpu_seconds(stack)
            begin = time.monotonic()
            run_ids = _request_runs(count)
            has_come(lambda: _are_finalized(run_ids), _LONGEST_SECONDS)
            seconds = time.monotonic() - begin
            cpu_seconds = _read_cpu_seconds(stack) - cpu_seconds
        finally:
            _stop(processes, delivered)
    claims_ms = [claim[0] for claim in delivered.claims]
    figures = count_trials(run_ids, delivered) | {
        "many_hosts": count,
        "trial_seconds_of_many_hosts": SECONDS_OF_MANY_HOSTS,
        "trials_a_second": round(count / SECONDS_OF_MANY_HOSTS, 2),
        "connections_most": max(connections),
        "many_hosts_seconds": round(seconds, 1),
        "server_cpus": round(cpu_seconds / seconds, 2),
        "load_average_before": round(load_average, 1),
        "registrations_p95_ms": round(p95(delivered.registrations_ms), 1),
        "claims_median_ms": round(float(np.median(claims_ms)), 1),
        "claims_p95_ms": round(p95(claims_ms), 1),
    }
    missed = [name for name, goal in GOALS.items() if figures[name] > goal]
    print(
        f"{count} hosts, trials of {SECONDS_OF_MANY_HOSTS} s, so {figures['trials_a_second']} "
        f"claims and deliveries a second: {figures['trials_of_many_hosts']} trials of "
        f"{len(run_ids)} runs delivered in {seconds:.0f} s, claims p95 "
        f"{figures['claims_p95_ms']} ms, {figures['trials_lost']} trials lost, "
        f"{figures['trials_doubled']} doubled, at most {figures['connections_most']} connections "
        f"to the database. PostgreSQL, Redis and dispatcher used {figures['server_cpus']} CPUs.\n"
    )
    if missed:
        print(f"Missed: {', '.join(missed)}\n")
    return figures, not missed


def _share_hosts(count: int) -> Iterator[tuple[int, int]]:
    """Return the number of the first host of each process, and how many it has."""
    bounds = np.linspace(0, count, HOST_PROCESSES + 1).astype(int)
    for first, after in pairwise(bounds):
        yield int(first), int(after - first)


def start_player(module: str, *arguments: str, nice: int = 0) -> "subprocess.Popen[str]":
    """Start a program of this package that plays other machines.

    Args:
        nice: 19 lets the installation have the CPUs first.
    """
    name = f"tools.benchmarks.many_runs.{module}"
    return subprocess.Popen(
        ["nice", "-n", str(nice), sys.executable, "-m", name, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _stop(processes: "Sequence[subprocess.Popen[str]]", delivered: Delivered) -> None:
    """End all processes at the same time, and add what their hosts did."""
    try:
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
        for process in processes:
            document = json.loads(process.communicate(timeout=_STOP_SECONDS)[0])
            delivered.registrations_ms += document["registrations_ms"]
            delivered.claims += [tuple(claim) for claim in document["claims"]]
            delivered.trials += document["delivered"]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _read_cpu_seconds(stack: Stack) -> float:
    """Return the CPU time that PostgreSQL, Redis and the dispatcher have used so far."""
    spent = 0.0
    for part in ("database", "broker", "dispatcher"):
        root = psutil.Process(stack.get_pid(part))
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                # With the time of children that have ended.
                spent += sum(process.cpu_times()[:4])
    return spent


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


def count_trials(run_ids: Sequence[UUID], delivered: Delivered) -> dict[str, float]:
    """Compare what the hosts did with what is stored.

    A trial is lost if no host delivered it, or if its results are not stored. It is doubled if it
    was claimed, delivered or begun more than once.
    """
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
