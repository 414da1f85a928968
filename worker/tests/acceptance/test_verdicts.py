"""Each verdict is provoked by a real trial with exactly one problem.

On a busy machine any trial may also get `host_busy`. So only the test that provokes it requires it,
and the others ignore it.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import docker
import pytest

from backend.core.measurement.measurements.verdicts import (
    MAX_OTHER_CPU,
    judge_unsteady_trials,
)
from backend.core.units import Metric, RuntimeKind, Verdict
from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from worker.runtime.docker.engine import LABEL_ROLE, LABEL_TRIAL
from worker.tests.acceptance.cells import SLOW_SCRIPT, cell
from worker.tests.acceptance.cheats import OVERLOADED, UNDER_LOAD

_ONLY_DOCKER = pytest.mark.parametrize(
    "runtime", [pytest.param(RuntimeKind.DOCKER, marks=pytest.mark.docker)], indirect=True
)
_SPIN = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"


def measure(stack: Stack, asked: Document, trials: int = 1) -> Document:
    """Return the succeeded run of one cell."""
    run = stack.api.await_run(stack.create_run([asked], trials=trials), 90 + 40 * trials)
    assert run["status"] == "succeeded", describe(run)
    return run


def measure_undisturbed(stack: Stack, asked: Document) -> Document:
    """Like `measure`, but repeat while other programs use the CPUs. Without free CPUs, the verdict
    about the service cannot be decided.
    """
    taken = 1.0
    for _ in range(3):
        run = measure(stack, asked)
        taken = share_of_others(stack, run["trials"][0])
        if taken < 0.8:
            return run
    pytest.skip(f"other programs use {taken:.0%} of this machine's CPUs")


def share_of_others(stack: Stack, trial: Document) -> float:
    """Return the share of the trial's CPUs that other programs or a hypervisor used."""
    cpus = stack.api.get(f"/trials/{trial['id']}")["environment"]["cpus"]
    samples = stack.api.get(f"/trials/{trial['id']}/series")["samples"]
    taken = sum(sample["cpu_other_seconds"] + sample["cpu_steal_seconds"] for sample in samples)
    return float(taken) / len(samples) / len({cpu for role in cpus.values() for cpu in role})


def details_by_verdict(shown: Document) -> dict[str, str]:
    """Return the details of a trial or cell by verdict. Checks `excludes_from_ranking`."""
    excluding = {
        verdict["verdict"] for verdict in shown["verdicts"] if verdict["excludes_from_ranking"]
    }
    assert excluding == {verdict["verdict"] for verdict in shown["verdicts"]} & _EXCLUDING
    return {verdict["verdict"]: verdict["detail"] for verdict in shown["verdicts"]}


_OF_A_BUSY_HOST = {
    Verdict.HOST_BUSY,
    Verdict.HOST_DISTURBED,
    Verdict.RATE_MISSED,
    Verdict.LITTLES_LAW_VIOLATED,
    Verdict.NEVER_STEADY,
}
_ABOUT_ANSWERS = {
    "work_not_done",
    "wrong_answers",
    "faster_than_possible",
    "behaviour_changed",
}
_EXCLUDING = {
    *_ABOUT_ANSWERS,
    "generator_saturated",
    "rate_missed",
    "server_idle",
    "littles_law_violated",
    "too_many_errors",
    "never_steady",
    "steadiness_not_tested",
    "throttled",
    "runtime_differs",
    "environment_changed",
}


def check(run: Document, verdict: Verdict) -> str:
    """Assert that the trial and its cell have the verdict, that it excludes the cell if required,
    and return its detail."""
    (trial,), (summed,) = run["trials"], run["cells"]
    assert verdict in details_by_verdict(trial)
    assert details_by_verdict(summed)[verdict] == details_by_verdict(trial)[verdict]
    assert summed["excluded"] == bool(details_by_verdict(summed).keys() & _EXCLUDING)
    return details_by_verdict(trial)[verdict]


def test_a_rate_that_one_cpu_of_load_cannot_send(stack: Stack) -> None:
    asked = cell("go-nethttp", rate_rps=100_000, duration_seconds=2)

    run = measure(stack, asked)

    # Which of the two is the limit depends on the machine.
    found = details_by_verdict(run["trials"][0]).keys()
    (verdict,) = found & {Verdict.GENERATOR_SATURATED, Verdict.RATE_MISSED}
    detail = check(run, Verdict(verdict))
    assert re.search(r"Rate missed: [\d,]+ of 200,000 requests were sent, [\d,]+ dropped", detail)


@pytest.mark.parametrize(
    ("load", "is_limit"),
    [
        ({"profile": "saturate-quick"}, True),
        ({"rate_rps": 150}, True),
        ({"rate_rps": 5}, False),
    ],
    ids=["full load", "a rate", "a low rate"],
)
def test_a_script_that_limits_the_load(
    stack: Stack, load: dict[str, Any], *, is_limit: bool
) -> None:
    run = measure(stack, cell("go-nethttp", SLOW_SCRIPT, **load))

    if not is_limit:
        found = details_by_verdict(run["trials"][0])
        assert "script" not in found.get(Verdict.GENERATOR_SATURATED, "")
        return
    detail = check(run, Verdict.GENERATOR_SATURATED)
    assert re.match(r"The scenario's script worked (9\d|100)% of the time", detail)
    assert "the limit, and not the service" in detail
    assert "send it from more load hosts" in detail
    assert ("late" in detail or "Rate missed" in detail) == ("rate_rps" in load)


def test_a_service_that_sleeps_under_full_load(stack: Stack) -> None:
    run = measure_undisturbed(stack, cell("sleeps", profile="saturate-quick"))

    detail = check(run, Verdict.SERVER_IDLE)

    assert int(detail.partition("%")[0].rpartition(" ")[2]) < 40
    assert run["cells"][0]["excluded"]


def test_a_service_that_fails_one_request_in_twenty(stack: Stack) -> None:
    run = measure(stack, cell("fails-sometimes"))

    detail = check(run, Verdict.TOO_MANY_ERRORS)

    assert re.match(r"[\d,]+ of [\d,]+ requests failed \([\d,]+ × status_5xx\)", detail)
    assert run["trials"][0]["metrics"][Metric.SUCCESS_RATIO] == pytest.approx(0.95, abs=0.01)
    few = details_by_verdict(run["cells"][0])[Verdict.TOO_FEW_TRIALS]
    assert few.startswith("Only 1 of the 5 recommended trials")


@pytest.mark.parametrize("cheat", UNDER_LOAD)
def test_a_service_that_cheats_under_load(stack: Stack, cheat: str) -> None:
    scenario, verdicts = UNDER_LOAD[cheat]
    honest_run = measure(stack, cell("honest-under-load", scenario))
    assert not details_by_verdict(honest_run["trials"][0]).keys() & _ABOUT_ANSWERS

    run = measure(stack, cell(cheat, scenario))

    (trial,) = run["trials"]
    found = details_by_verdict(trial).keys() & _ABOUT_ANSWERS
    # An answer without a call is also too fast, if its request was in the measured seconds.
    assert verdicts <= found <= verdicts | {Verdict.FASTER_THAN_POSSIBLE}
    assert run["cells"][0]["excluded"]
    detail = stack.api.get(f"/trials/{trial['id']}")
    is_wrong = Verdict.WRONG_ANSWERS in verdicts
    assert (detail["checks"]["wrong"] > 0) == (detail["checks"]["first_wrong"] is not None)
    assert (detail["checks"]["wrong"] > 0) == is_wrong
    is_changed = any(not check["passed"] for check in detail["conformance_after"])
    assert is_changed == (Verdict.BEHAVIOUR_CHANGED in verdicts)


@pytest.mark.parametrize(
    "load",
    [{}, {"timeout_ms": 1000}, {"profile": "till-failure-quick"}],
    ids=["a backlog", "timeouts", "steps"],
)
def test_an_honest_service_beyond_its_capacity(stack: Stack, load: dict[str, Any]) -> None:
    run = measure(stack, cell(OVERLOADED, "slow-upstream", **{"delay_ms": 400, **load}))

    (trial,) = run["trials"]
    assert not details_by_verdict(trial).keys() & _ABOUT_ANSWERS, trial["verdicts"]
    checks = stack.api.get(f"/trials/{trial['id']}")["checks"]
    assert checks["answered"] < checks["sent"]


def test_a_service_that_becomes_slower_for_good(stack: Stack) -> None:
    """At 200 requests per second, the 1,000th is sent in the middle of the ten measured
    seconds."""
    run = measure_undisturbed(stack, cell("slows-down", duration_seconds=10))

    detail = check(run, Verdict.NEVER_STEADY)

    assert re.search(r"changed by \+[\d,]+% at second [345] of the measured window", detail)


@_ONLY_DOCKER
def test_a_service_under_a_quota(stack: Stack) -> None:
    asked = cell("node", profile="saturate-quick", warm_up_seconds=3)
    run = stack.create_run([asked])
    under_way = stack.api.await_stage(run, frozenset({"warming_up"}), 120)
    limit_cpu(str(under_way["trials"][0]["id"]), share=0.05)

    ended = stack.api.await_run(run, 60)

    assert ended["status"] == "succeeded", describe(ended)
    detail = check(ended, Verdict.THROTTLED)
    assert int(re.findall(r"for (\d+) ms of each second", detail)[0]) > 200


def limit_cpu(trial_id: str, share: float) -> None:
    """Give the service of a trial a CPU quota, without Tacho."""
    client = docker.from_env()
    try:
        labels = [f"{LABEL_TRIAL}={trial_id}", f"{LABEL_ROLE}=service"]
        (container,) = client.api.containers(filters={"label": labels})
        client.api.update_container(
            container["Id"], cpu_period=100_000, cpu_quota=int(share * 100_000)
        )
    finally:
        client.close()


def test_a_busy_program_next_to_the_trial(stack: Stack) -> None:
    with busy_program():
        run = measure(stack, cell("go-nethttp"))

    detail = check(run, Verdict.HOST_BUSY)

    assert int(re.findall(r"Other programs used (\d+)% of the trial's CPUs", detail)[0]) >= 15
    # Other programs use a CPU, as the seconds of the trial show.
    samples = stack.api.get(f"/trials/{run['trials'][0]['id']}/series")["samples"]
    assert sum(sample["cpu_other_seconds"] for sample in samples) > 0.3 * len(samples)


@contextmanager
def busy_program() -> Iterator[None]:
    """Run a program that uses a CPU inside the context, for at most a minute."""
    with subprocess.Popen([sys.executable, "-c", _SPIN]) as process:
        try:
            yield
        finally:
            process.kill()


def test_cpu_sets_that_change_within_a_run(stack: Stack) -> None:
    other_way_round = {"TACHO_SERVICE_CPUS": "1", "TACHO_LOAD_CPUS": "0"}

    run = measure_with_two_workers(stack, other_way_round)

    (summed,) = run["cells"]
    detail = details_by_verdict(summed)[Verdict.ENVIRONMENT_CHANGED]
    assert detail.startswith(
        "Not the same for this cell's trials: cpus.service (0 or 1); cpus.load"
    )
    assert summed["excluded"]
    assert Verdict.RUNTIME_DIFFERS not in details_by_verdict(summed)
    assert not details_by_verdict(run["trials"][0]).keys() & {Verdict.ENVIRONMENT_CHANGED}


@_ONLY_DOCKER
def test_a_runtime_that_changes_within_a_run(stack: Stack) -> None:
    run = measure_with_two_workers(stack, {"TACHO_RUNTIME": RuntimeKind.PROCESS.value})

    (summed,) = run["cells"]
    assert details_by_verdict(summed)[Verdict.RUNTIME_DIFFERS] == (
        "Not all of this cell's trials ran in one runtime: docker and process."
    )
    assert summed["excluded"]
    assert [trial["runtime"] for trial in run["trials"]] == ["docker", "process"]


def measure_with_two_workers(stack: Stack, environment: dict[str, str]) -> Document:
    """Return a run of two trials, where the worker of the second has other settings."""
    run = stack.create_run([cell("go-nethttp")], trials=2)
    stack.api.await_stage(run, frozenset({"succeeded"}), 90)
    stack.stop("worker")
    stack.start_worker(environment)
    try:
        ended = stack.api.await_run(run, 90)
    finally:
        stack.stop("worker")
        stack.start_worker()
    assert ended["status"] == "succeeded", describe(ended)
    return ended


def test_undisturbed_trials_have_no_verdict(stack: Stack) -> None:
    """Other programs on the machine may cause `host_busy` and its consequences: they delay the load
    generator, and come and go.
    """
    steady = cell("go-nethttp", warm_up_seconds=20, duration_seconds=10)
    run = measure(stack, steady, trials=5)

    (summed,) = run["cells"]
    for trial in run["trials"]:
        others, found = share_of_others(stack, trial), details_by_verdict(trial).keys()
        if others < MAX_OTHER_CPU / 2:
            # One steady trial in a hundred is a false alarm.
            assert found in ({Verdict.OK}, {Verdict.NEVER_STEADY})
        else:
            assert found <= {Verdict.OK} | _OF_A_BUSY_HOST
        # The share includes the warm-up, which the verdict leaves out.
        if others > 2 * MAX_OTHER_CPU:
            assert Verdict.HOST_BUSY in found
    counts = Counter(verdict for trial in run["trials"] for verdict in details_by_verdict(trial))
    unsteady = ["-"] * counts.pop(Verdict.NEVER_STEADY, 0)
    drifts = [trial["metrics"]["window_drift_ratio"] for trial in run["trials"]]
    state = judge_unsteady_trials(unsteady, len(run["trials"]), drifts)
    if state is not None:
        counts[state.verdict] += 1
    assert details_by_verdict(summed).keys() == (counts.keys() - {Verdict.OK} or {Verdict.OK})
