"""A host gets a signal when a run of it was cancelled or finalized."""

import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from backend.core.changes.finalization.service import finalize_runs
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.queue import get_redis, signal_channel
from backend.core.runs import service
from backend.tests.factories import HOST, ask_run, succeed_next
from worker.bench_host.taker import HostSignals
from worker.stages.watch import Stop, Watch
from worker.tests.acceptance.remains import is_true_within

LIMIT_S = 60


@pytest.fixture
def signals(database: Settings) -> Iterator[HostSignals]:
    """The signals to the bench host, which is subscribed to them."""
    found = HostSignals(database.redis_url, HOST)
    found.start()
    channel = signal_channel(HOST)
    assert is_true_within(LIMIT_S, lambda: get_redis().pubsub_numsub(channel)[0][1] == 1)
    yield found
    found.stop()


def test_a_cancelled_run_is_signalled(signals: HostSignals, host_id: UUID) -> None:
    with unit_of_work() as session:
        run = ask_run(session)
    heard = threading.Event()

    with signals.listen(heard.set), unit_of_work() as session:
        service.cancel_run(session, run)
        assert not heard.is_set()
    with signals.listen(heard.set):
        assert heard.wait(LIMIT_S)


def test_a_finalized_run_is_signalled(signals: HostSignals, host_id: UUID) -> None:
    with unit_of_work() as session:
        ask_run(session)
        succeed_next(session, host_id)
    heard = threading.Event()

    with signals.listen(heard.set):
        assert finalize_runs().finalized == 1
        assert heard.wait(LIMIT_S)


def test_signals_go_on_after_their_connection_was_lost(signals: HostSignals) -> None:
    heard = threading.Event()
    get_redis().client_kill_filter(_type="pubsub")
    channel = signal_channel(HOST)

    with signals.listen(heard.set):
        assert is_true_within(LIMIT_S, lambda: get_redis().publish(channel, "") == 1)
        assert heard.wait(LIMIT_S)


def test_a_watch_looks_again_at_once_when_it_is_woken_up() -> None:
    reasons: list[Stop | None] = [None]
    looked, stopped = threading.Event(), threading.Event()

    def find_stop() -> Stop | None:
        looked.set()
        return reasons[0]

    with Watch(uuid4(), lambda: False, find_stop) as watch:
        watch.on_stop(stopped.set)
        assert looked.wait(LIMIT_S)
        reasons[0] = Stop.CANCELLED
        watch.wake_up()
        assert stopped.wait(LIMIT_S)
