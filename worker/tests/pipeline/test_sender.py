"""Live events are sent through a queue that never blocks, even if Redis hangs."""

import json
import logging
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis

from backend.core.queue import SEND_TIMEOUT_SECONDS, open_redis
from backend.core.runs.live.event_stream import RunStream
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.layout import Layout
from backend.platform.processes.programs import RunningProgram
from backend.tests.live_events import sample_event
from backend.tests.waiting import LIMIT_S, wait_for
from worker.pipeline.sender import EventSender

_MAX_WAITING = 50


class Broker:
    """A Redis of the test's own that can hang and stop."""

    def __init__(self, folder: Path) -> None:
        self._layout = Layout(folder)
        self._layout.make()
        self._server = EmbeddedRedis.choose(self._layout)
        self._server.prepare()
        self.start()

    @property
    def url(self) -> str:
        return self._server.url

    def start(self) -> None:
        self._program = RunningProgram(self._server.part(), self._layout)
        self._program.wait_ready()

    def hang(self) -> None:
        os.kill(self._program.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self._program.pid, signal.SIGCONT)

    def stop(self) -> None:
        if self._program.exit_code() is None:
            self.resume()
            self._program.ask_to_stop()
            self._program.finish(time.monotonic() + 3)

    def events(self, stream: RunStream) -> list[tuple[str, dict[str, Any]]]:
        """Return name and data of the events in the run's stream."""
        with redis.Redis.from_url(self.url) as client:
            entries = client.xrange(stream.key)
        return [(fields[b"name"].decode(), json.loads(fields[b"data"])) for _, fields in entries]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    running = Broker(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def sender(broker: Broker) -> Iterator[EventSender]:
    opened = EventSender(open_redis(broker.url), max_waiting=_MAX_WAITING, pause_s=0.1)
    yield opened
    opened.close(timeout_s=LIMIT_S)


def put(sender: EventSender, stream: RunStream, numbers: range) -> float:
    """Queue a sample for each number; return the longest time that a call took."""
    slowest = 0.0
    for number in numbers:
        begun = time.monotonic()
        sender.put(stream, sample_event(number))
        slowest = max(slowest, time.monotonic() - begun)
    return slowest


def seconds(events: list[tuple[str, dict[str, Any]]]) -> list[int]:
    return [data["second"] for name, data in events if name == "sample"]


def test_a_hanging_redis_delays_no_caller_and_the_gap_is_reported(
    broker: Broker, sender: EventSender, caplog: pytest.LogCaptureFixture
) -> None:
    stream = RunStream("bench-01", uuid4())
    put(sender, stream, range(1))
    wait_for(lambda: len(broker.events(stream)) == 1)
    broker.hang()
    with caplog.at_level(logging.WARNING):
        assert put(sender, stream, range(1, 1001)) < SEND_TIMEOUT_SECONDS
        # Wait until the sender has timed out, then try some more.
        wait_for(lambda: "Redis does not answer" in caplog.text)
        assert put(sender, stream, range(1001, 1011)) < SEND_TIMEOUT_SECONDS
        broker.resume()
        wait_for(lambda: seconds(broker.events(stream))[-1] == 1010)
        wait_for(lambda: "were dropped" in caplog.text)

    events = broker.events(stream)
    shown = seconds(events)
    # Redis may have stored the batch that timed out, which reports a gap as well.
    gap = [data["dropped"] for name, data in events if name == "gap"][-1]
    assert [name for name, _ in events[-10:]] == ["sample"] * 10
    assert shown == sorted(set(shown))
    assert shown[-10:] == list(range(1001, 1011))
    # The batch that timed out counts as dropped, although Redis may have stored it.
    assert 1011 - len(shown) <= gap <= 1011 - len(shown) + _MAX_WAITING
    lines = [record.message for record in caplog.records if "sender" in record.name]
    assert len(lines) == 2
    assert f"{gap} were dropped" in lines[1]


def test_nothing_is_lost_in_a_short_absence_of_redis(broker: Broker, sender: EventSender) -> None:
    stream = RunStream("bench-01", uuid4())
    broker.stop()
    put(sender, stream, range(20))
    broker.start()

    wait_for(lambda: len(broker.events(stream)) == 20)
    assert seconds(broker.events(stream)) == list(range(20))


def test_closing_sends_waiting_events(broker: Broker) -> None:
    stream = RunStream("bench-01", uuid4())
    sender = EventSender(open_redis(broker.url), max_waiting=1000)
    put(sender, stream, range(500))
    sender.close(timeout_s=LIMIT_S)

    assert seconds(broker.events(stream)) == list(range(500))


def test_closing_does_not_wait_for_a_hanging_redis(broker: Broker) -> None:
    sender = EventSender(open_redis(broker.url))
    broker.hang()
    put(sender, RunStream("bench-01", uuid4()), range(5))
    # It would wait until Redis answers.
    sender.close(timeout_s=0.5)

    broker.resume()
    sender.close(timeout_s=LIMIT_S)
