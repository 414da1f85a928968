"""A Redis that hangs changes neither the outcome nor the timing of a trial."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from backend.core.units import RuntimeKind
from tools.benchmarks.api import Document, describe
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import is_true_within
from worker.tests.acceptance.test_trials import check_series

_DURATION_SECONDS = 10
# A call that waits for Redis costs at least 2 s for each second of the load: 20 s more than these
# 10 s. The rest is for a busy machine.
_MOST_MEASURING_SECONDS = 20.0
_OUTAGE_SECONDS = 95.0


@pytest.fixture
def process_stack(stack: Stack) -> Stack:
    """Redis is independent of the runtime, so one runtime is enough."""
    if stack.runtime is not RuntimeKind.PROCESS:
        pytest.skip("measured in the process runtime")
    return stack


@contextmanager
def hung(stack: Stack) -> Iterator[None]:
    stack.pause("broker")
    try:
        yield
    finally:
        stack.resume("broker")


def check_undisturbed(stack: Stack, run: Document) -> None:
    assert run["status"] == "succeeded", describe(run)
    for trial in run["trials"]:
        assert trial["attempt"] == 1
        assert trial["stage_seconds"]["measuring"] < _MOST_MEASURING_SECONDS
        check_series(stack.api, trial, duration_seconds=_DURATION_SECONDS)


def test_trials_go_on_while_redis_hangs_for_95_seconds(process_stack: Stack) -> None:
    stack = process_stack
    load = cell("go-nethttp", duration_seconds=_DURATION_SECONDS)
    run = stack.create_run([load], trials=3)
    run = stack.api.await_stage(run, frozenset({"measuring"}), 90)
    resumes = time.monotonic() + _OUTAGE_SECONDS
    with hung(stack):
        ended = stack.api.await_run(run, 80)
        # The request is accepted although no wake-up message can be sent.
        later = stack.create_run([cell("go-nethttp")])
        time.sleep(max(0.0, resumes - time.monotonic()))

    check_undisturbed(stack, ended)
    assert is_true_within(30, lambda: "gap" in {event.name for event in stack.api.follow(ended)})
    assert [event.name for event in stack.api.follow(ended)][-1] == "end"
    assert stack.api.await_run(later, 120)["status"] == "succeeded"
