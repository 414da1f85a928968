"""A watch stops its trial once, for the first reason that it finds."""

from threading import Event
from uuid import uuid4

import pytest

from worker.stages.watch import Stop, TrialStopped, Watch

_WAIT_SECONDS = 10


def never() -> bool:
    return False


def test_an_overdue_trial_is_stopped() -> None:
    removed = Event()
    with Watch(uuid4(), never) as watch:
        watch.on_stop(removed.set)
        watch.set_deadline(0)
        assert removed.wait(_WAIT_SECONDS)
        assert watch.reason is Stop.OVERDUE
        with pytest.raises(TrialStopped, match="overdue"):
            watch.check()


def test_a_deadline_that_is_removed_stops_nothing() -> None:
    called = Event()

    def find_stop() -> None:
        called.set()

    with Watch(uuid4(), never, find_stop) as watch:
        watch.set_deadline(0)
        watch.set_deadline(None)
        assert called.wait(_WAIT_SECONDS)
    assert not watch.is_stopped()
    watch.check()


def test_a_worker_that_is_stopped_comes_before_other_reasons() -> None:
    removed = Event()
    with Watch(uuid4(), lambda: True, lambda: Stop.CANCELLED) as watch:
        watch.on_stop(removed.set)
        assert removed.wait(_WAIT_SECONDS)
    assert watch.reason is Stop.SHUTDOWN


def test_a_pod_that_is_opened_after_the_stop_is_removed_at_once() -> None:
    first, late = Event(), Event()
    with Watch(uuid4(), never, lambda: Stop.CANCELLED) as watch:
        watch.on_stop(first.set)
        assert first.wait(_WAIT_SECONDS)
        watch.on_stop(late.set)
    assert late.is_set()
