"""Record the example schedule: `make record-schedule`.

A separate Tacho measures six frameworks again and again, like a nightly schedule. One build of Node
does more work per request, one build of Fastify less, and later a program takes a share of the
services' CPUs. Tacho has to find all three by itself and to confirm the first two. The file
`services/studies/examples/schedule.json.gz` holds the runs and what was found. It takes about three
hours, needs no attention but root (for the program that takes CPU time), and must run on an idle
machine. If it is interrupted, `RESUME=1` continues after the last complete run.

Exit codes: 0 everything was found and the file is good, 1 something is missing or the file has
faults (it is written nevertheless), 2 the machine is busy or a run failed.
"""

import argparse
import os
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from backend.core.changes.detection import MIN_POINTS
from backend.core.changes.schedules import repository as schedules
from backend.core.config import ROOT, get_settings
from backend.core.db import unit_of_work
from backend.core.documents import JsonObject
from backend.core.measurement.measurements.verdicts import ENOUGH_TRIALS
from backend.core.operations.examples.bundle import pack_measured, read_bundle, write_bundle
from backend.core.operations.examples.bundle_check import find_bundle_faults, find_result_faults
from backend.core.operations.examples.schedule_bundle import pack_schedule
from backend.core.people.access.viewer import INSTALLATION
from backend.core.results.calibration.plan import plan_calibration
from backend.core.runs import repository as runs
from backend.core.statuses import ChangeStatus, ScheduledRunStatus
from backend.core.units import Metric
from tools.benchmarks.api import ENDS, Document
from tools.benchmarks.example_recording import read_options, require_idle
from tools.benchmarks.nightly import await_registration, contended, list_changes
from tools.benchmarks.planted import FASTIFY, NODE
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import expect

_FRAMEWORKS = ("node", "fastify", "express", "fastapi", "go-nethttp", "axum")
# 1,860 trials must fit into an evening, so services that start fast are measured for a short time.
_LOAD = {"rate_rps": 200, "warm_up_seconds": 1, "duration_seconds": 2}
_KILOBYTES = 100
# Share of each millisecond of the services' CPUs that a program with priority takes.
_TAKEN = 0.6
_RUN_SECONDS = 3_600
# How often a run may be measured until it keeps the rules for examples.
_ATTEMPTS = 5
_DECISION_SECONDS = 7_200


@dataclass(frozen=True)
class SchedulePlan:
    """The number of runs, and the runs from which on something is different, counted from 1."""

    runs: int
    slower_from: int
    faster_from: int
    host_from: int


_FULL = SchedulePlan(runs=MIN_POINTS + 42, slower_from=MIN_POINTS + 4, faster_from=36, host_from=58)
_SAMPLE = SchedulePlan(runs=3, slower_from=2, faster_from=3, host_from=4)


def main() -> None:
    """Record the schedule and print what was found."""
    options = _read_options()
    if not options.sample:
        require_idle()
        if os.geteuid() != 0:
            sys.exit("The host event needs root: a program takes CPU time with priority.")
    work: Path = options.work
    services, data = work / "services", work / "data"
    if not options.resume:
        shutil.copytree(ROOT / "services", services)
    host = get_settings().bench_host
    environment = {"TACHO_SERVICES_DIR": str(services)}
    with Stack(data, options.runtime, host, environment, durable=True) as stack:
        stack.use_here()
        faults = _record(stack, services, options)
    if faults:
        print(f"{work} keeps what was measured; RESUME=1 writes the file again.", flush=True)
        sys.exit(f"{len(faults)} faults: {'; '.join(faults)}")
    shutil.rmtree(work)


def _record(stack: Stack, services: Path, options: argparse.Namespace) -> list[str]:
    """Run the schedule, write the file, and return what is missing or wrong."""
    plan = _SAMPLE if options.sample else _FULL
    _end_unfinished(stack)
    known = stack.api.get("/schedules")["items"]
    if not options.sample and not known:
        calibration = plan_calibration(stack.settings.bench_host, is_full=False)
        stack.api.await_success(stack.api.post("/runs", calibration), _RUN_SECONDS)
    schedule = known[0] if known else _create_schedule(stack, options.trials)
    first = 1 + _count_good_runs(stack, schedule, plan)
    with ExitStack() as exits:
        for number in range(first, plan.runs + 1):
            _plant(services, number, plan)
            await_registration(stack, services, [NODE.slug, FASTIFY.slug])
            if number == max(first, plan.host_from):
                cpus = stack.api.get(f"/hosts/{stack.settings.bench_host}")["cpus"]["service"]
                exits.enter_context(contended(cpus, _TAKEN))
            _measure(stack, schedule, number, plan, options)
            print(f"Run {number} of {plan.runs}, {len(list_changes(stack))} changes", flush=True)
    problem = "the last run did not arrive in the schedule"
    expect(lambda: _has_arrived(stack), _DECISION_SECONDS, problem)
    with unit_of_work() as session:
        found = schedules.get_schedule(session, UUID(schedule["id"]), INSTALLATION)
        bundle = pack_schedule(session, found)
    path = options.folder / "schedule.json.gz"
    write_bundle(bundle, path)
    # As the file holds it: times are text there.
    bundle = read_bundle(path)
    print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
    if options.sample:
        return []
    faults = [
        f"{fault.result or 'a run'} {fault.detail}" for fault in find_bundle_faults(bundle, None)
    ]
    return [*faults, *_list_missing(bundle, plan)]


def _end_unfinished(stack: Stack) -> None:
    """Delete the run that an interruption cut short. A confirmation run continues."""
    for run in stack.api.get("/runs")["items"]:
        if run["status"] not in ENDS:
            stack.api.await_run(stack.api.cancel_run(run), _RUN_SECONDS)
            stack.api.delete(f"/runs/{run['id']}")


def _plant(services: Path, number: int, plan: SchedulePlan) -> None:
    """Write both planted services as they are in this run."""
    slower, faster = number >= plan.slower_from, number >= plan.faster_from
    NODE.plant(services, _KILOBYTES if slower else 0, f"release {1 + slower}")
    FASTIFY.plant(services, 0 if faster else _KILOBYTES, f"release {1 + faster}")


def _create_schedule(stack: Stack, trials: int) -> Document:
    """Create a paused schedule; the script starts its runs."""
    cells = [
        {"framework": slug, "scenario": "hello", "profile": "rate-quick", "parameters": _LOAD}
        for slug in _FRAMEWORKS
    ]
    run = {
        "cells": cells,
        "trials": trials,
        "host": stack.settings.bench_host,
        "visibility": "public",
    }
    body = {"name": "Six frameworks, nightly", "cron": "0 3 * * *", "time_zone": "UTC", "run": run}
    return stack.api.post("/schedules", body)


def _measure(
    stack: Stack,
    schedule: Document,
    number: int,
    plan: SchedulePlan,
    options: argparse.Namespace,
) -> None:
    """Run the schedule once. A run that breaks the rules for examples is deleted and repeated.

    Raises:
        RuntimeError: no run keeps the rules.
    """
    for _ in range(_ATTEMPTS):
        run = stack.api.await_run(stack.api.post(f"/schedules/{schedule['id']}/run"), _RUN_SECONDS)
        _await_decisions(stack)
        if options.sample or _is_good(stack, run, is_contended=number >= plan.host_from):
            return
        print(f"Run {number} is measured again.", flush=True)
    raise RuntimeError(f"Run {number} had faults {_ATTEMPTS} times. Is the machine idle?")


def _count_good_runs(stack: Stack, schedule: Document, plan: SchedulePlan) -> int:
    """Return the number of runs of an interrupted recording. A last one with faults is deleted."""
    with unit_of_work() as session:
        rows = schedules.list_scheduled_runs(session, [UUID(schedule["id"])], plan.runs)
        slugs = [row.run_slug for row in rows[UUID(schedule["id"])] if row.run_slug]
    if not slugs:
        return 0
    _await_decisions(stack)
    last = stack.api.get(f"/runs/{slugs[0]}")
    is_good = _is_good(stack, last, is_contended=len(slugs) >= plan.host_from)
    return len(slugs) if is_good else len(slugs) - 1


def _is_good(stack: Stack, run: Document, *, is_contended: bool) -> bool:
    """Return whether a run that ended keeps the rules for examples; print its faults and delete it
    otherwise. The host is busy in a run that the recording contends."""
    with unit_of_work() as session:
        packed_run = pack_measured(session, runs.get_run(session, run["slug"]))
    faults = (find_result_faults if is_contended else find_bundle_faults)(packed_run, None)
    for fault in faults:
        print(f"  {fault.result or 'the run'} {fault.detail}", flush=True)
    if faults:
        stack.api.delete(f"/runs/{run['id']}")
    return not faults


def _await_decisions(stack: Stack) -> None:
    """Wait until no run is unfinished, which includes confirmation runs, and none is undecided."""

    def is_decided() -> bool:
        testing = any(change["status"] == "testing" for change in list_changes(stack))
        host = stack.api.get(f"/hosts/{stack.settings.bench_host}")
        return not testing and host["queued_trials"] == 0

    # The worker stores changes in the moment after the end of a run.
    time.sleep(1)
    expect(is_decided, _DECISION_SECONDS, "a confirmation run did not end")


def _has_arrived(stack: Stack) -> bool:
    """Return whether the schedule has taken note of its last run."""
    (shown,) = stack.api.get("/home")["schedules"]
    return bool(shown["newest"]["status"] == ScheduledRunStatus.ARRIVED)


def _list_missing(bundle: JsonObject, plan: SchedulePlan) -> list[str]:
    """Return what Tacho should have found and did not."""
    contended = [row["run_id"] for row in bundle["scheduled_runs"]][plan.host_from - 1 :]
    confirmed = [row for row in bundle["changes"] if row["status"] == ChangeStatus.CONFIRMED]

    def is_found(slug: str, *, is_slower: bool) -> bool:
        return any(
            row["framework"] == slug
            and row["metric"] == Metric.CPU_US_PER_REQUEST
            and (row["ratio"] > 1) is is_slower
            for row in confirmed
        )

    found = {
        "the slower build of node is not confirmed": is_found("node", is_slower=True),
        "the faster build of fastify is not confirmed": is_found("fastify", is_slower=False),
        "the program that takes CPU time is not found": any(
            event["run_id"] in contended for event in bundle["found"]["host_event"]
        ),
    }
    return [detail for detail, holds in found.items() if not holds]


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    given = read_options(parser, "schedule", "3 runs")
    given.trials = given.trials or (1 if given.sample else ENOUGH_TRIALS)
    return given


if __name__ == "__main__":
    main()
