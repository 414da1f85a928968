"""A worker that dies or is stopped leaves nothing behind, and its trial is not lost."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from backend.core.config import ROOT
from backend.core.units import RuntimeKind
from backend.platform.processes.programs import lives
from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within, list_alive, list_remains
from worker.tests.acceptance.test_trials import check_series

_MEASURING = frozenset({"measuring"})
_DURATION_SECONDS = 6
_EXIT_SECONDS = 10.0
# A promise to users.
_GONE_SECONDS = 5.0


def ask(stack: Stack) -> Document:
    """A run whose trial is being measured, with a service, its upstream and k6."""
    load = cell("go-nethttp", "slow-upstream", duration_seconds=_DURATION_SECONDS)
    return stack.api.await_stage(stack.create_run([load]), _MEASURING, 90)


def await_again(stack: Stack, run: Document, attempt: int) -> Document:
    """Return the run when its trial is being measured in this attempt."""
    assert is_true_within(60, lambda: attempts(stack, run) == [attempt])
    return stack.api.await_stage(run, _MEASURING, 60)


def attempts(stack: Stack, run: Document) -> list[int]:
    return [trial["attempt"] for trial in stack.api.get_run(run)["trials"]]


def statuses(stack: Stack, run: Document) -> list[str]:
    return [trial["status"] for trial in stack.api.get_run(run)["trials"]]


def test_the_trial_of_a_killed_worker_is_claimed_again(stack: Stack) -> None:
    run = ask(stack)
    assert list_alive(stack.runtime, run)
    stack.kill("worker")
    assert is_true_within(_GONE_SECONDS, lambda: not list_alive(stack.runtime, run))

    stack.start_worker()

    ended = stack.api.await_run(run, 90)
    assert ended["status"] == "succeeded", describe(ended)
    assert attempts(stack, ended) == [2]
    check_series(stack.api, ended["trials"][0], duration_seconds=_DURATION_SECONDS)
    assert list_remains(stack, ended) == []


def test_a_trial_that_loses_its_worker_three_times_fails(stack: Stack) -> None:
    run = ask(stack)
    for attempt in (2, 3):
        stack.kill("worker")
        stack.start_worker()
        await_again(stack, run, attempt)
    stack.kill("worker")
    stack.start_worker()

    ended = stack.api.await_run(run, 60)

    (trial,) = ended["trials"]
    assert ended["status"] == "failed"
    assert (trial["failure"]["code"], trial["failure"]["stage"]) == ("worker_lost", "measuring")
    assert "worker" in trial["failure"]["detail"]
    causes = [failure["cause"] for failure in (*trial["retried_failures"], trial["failure"])]
    assert causes == ["infrastructure"] * 3
    assert is_true_within(20, lambda: not list_remains(stack, ended))


def test_a_stopped_worker_returns_its_trial(stack: Stack) -> None:
    run = ask(stack)

    assert stack.stop("worker") <= _EXIT_SECONDS

    waiting = stack.api.get_run(run)
    assert [trial["status"] for trial in waiting["trials"]] == ["queued"]
    assert list_remains(stack, waiting) == []
    stack.start_worker()
    ended = stack.api.await_run(run, 90)
    assert ended["status"] == "succeeded", describe(ended)
    # A stopped worker does not count as a failure: the trial may still be repeated twice.
    assert attempts(stack, ended) == [2]
    assert ended["trials"][0]["retried_failures"] == []
    check_series(stack.api, ended["trials"][0], duration_seconds=_DURATION_SECONDS)


def test_a_suspended_worker_does_not_end_a_trial_that_it_lost(stack: Stack) -> None:
    """Meanwhile its lease expires, and the worker of another host queues the trial again."""
    stack.start_other_host()
    run = ask(stack)
    stack.pause("worker")
    try:
        assert is_true_within(150, lambda: statuses(stack, run) == ["queued"])
    finally:
        stack.resume("worker")
        stack.stop("other")

    ended = stack.api.await_run(run, 90)

    assert ended["status"] == "succeeded", describe(ended)
    assert attempts(stack, ended) == [2]
    check_series(stack.api, ended["trials"][0], duration_seconds=_DURATION_SECONDS)
    assert list_remains(stack, ended) == []


def test_a_second_worker_of_a_host_waits_and_takes_over(stack: Stack) -> None:
    with stack.start_second_worker() as second:
        try:
            assert second.stdout is not None
            waits = next(line for line in second.stdout if "Another worker serves" in line)
            assert repr(stack.settings.bench_host) in waits
            assert "TACHO_BENCH_HOST" in waits
            assert stack.is_running("worker")
            stack.kill("worker")
            assert any("this worker now serves the host" in line for line in second.stdout)
            run = stack.api.await_run(stack.create_run([cell("go-nethttp")]), 90)
            assert run["status"] == "succeeded", describe(run)
        finally:
            second.kill()


_START = """
import json, sys, time
from pathlib import Path
from backend.core.units import RuntimeKind
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
data, runtime, services, stage = sys.argv[1:]
with Stack(Path(data), RuntimeKind(runtime), f"killed-{runtime}-{stage}",
           {"TACHO_SERVICES_DIR": services}) as stack:
    run = stack.create_run([cell("go-nethttp", "slow-upstream", duration_seconds=60)])
    stack.api.await_stage(run, {stage}, 180)
    print(json.dumps(stack.api.get_run(run)), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("stage", ["building", "measuring"])
def test_everything_ends_with_the_process_that_started_it(
    runtime: RuntimeKind, services: Path, tmp_path: Path, stage: str
) -> None:
    data = tmp_path / "data"
    arguments = [str(data), runtime.value, str(services), stage]
    with subprocess.Popen(
        [sys.executable, "-c", _START, *arguments], cwd=ROOT, stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        run = json.loads(starter.stdout.readline())
        below = psutil.Process(starter.pid).children(recursive=True)
        assert len(below) > 10
        assert stage == "building" or list_alive(runtime, run)

        starter.kill()

    assert is_true_within(
        _GONE_SECONDS,
        lambda: not any(map(lives, below)) and not list_alive(runtime, run),
    )
