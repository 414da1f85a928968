"""Within three seconds of a cancellation the run has ended and left nothing behind."""

import time

import pytest

from tools.benchmarks.api import Document
from tools.benchmarks.stack import Stack
from worker.tests.acceptance.cells import cell
from worker.tests.acceptance.remains import find_command, is_true_within, list_remains

_LIMIT_SECONDS = 3.0
_SLOW_BUILD = ("sleep", "4271")
# Shorter than the period of the recovery, which would send another wake-up message.
_AT_ONCE_SECONDS = 8.0


def cancel(stack: Stack, run: Document) -> Document:
    """Return the cancelled run. It must end in time."""
    asked_at = time.monotonic()
    stack.api.cancel_run(run)
    ended = stack.api.await_run(run, 30)
    took = time.monotonic() - asked_at
    assert ended["status"] == "cancelled"
    assert took <= _LIMIT_SECONDS
    return ended


def check_next_run(stack: Stack) -> None:
    """The host is free for the next run immediately."""
    following = stack.create_run([cell("go-nethttp")])
    begun = frozenset({"building", "starting", "verifying"})
    stack.api.await_stage(following, begun, _AT_ONCE_SECONDS)
    assert stack.api.await_run(following, 180)["status"] == "succeeded"


def test_while_building(stack: Stack) -> None:
    asked = stack.create_run([cell("slow-build")], trials=2)
    assert is_true_within(60, lambda: bool(find_command(*_SLOW_BUILD)))

    ended = cancel(stack, asked)

    assert [trial["status"] for trial in ended["trials"]] == ["cancelled"] * 2
    assert is_true_within(1, lambda: not find_command(*_SLOW_BUILD))
    assert list_remains(stack, ended) == []
    check_next_run(stack)


@pytest.mark.parametrize("stage", ["warming_up", "measuring"])
def test_under_load(stack: Stack, stage: str) -> None:
    warm_up_seconds = 60 if stage == "warming_up" else 1
    load = cell("go-nethttp", "slow-upstream", warm_up_seconds=warm_up_seconds, duration_seconds=60)
    asked = stack.create_run([load], trials=3)
    under_way = stack.api.await_stage(asked, frozenset({stage}), 90)
    assert list_remains(stack, under_way)

    ended = cancel(stack, asked)

    assert list_remains(stack, ended) == []
    assert [trial["status"] for trial in ended["trials"]] == ["cancelled"] * 3
    assert [trial["attempt"] for trial in ended["trials"]].count(1) == 1
    check_next_run(stack)


@pytest.mark.parametrize("after_seconds", [step / 5 for step in range(10)])
def test_at_any_moment(stack: Stack, after_seconds: float) -> None:
    """Cancellation also works between two stages, while containers or processes start."""
    asked = stack.create_run([cell("go-nethttp", "slow-upstream")], trials=2)
    time.sleep(after_seconds)

    ended = cancel(stack, asked)

    assert {trial["status"] for trial in ended["trials"]} == {"cancelled"}
    assert list_remains(stack, ended) == []
