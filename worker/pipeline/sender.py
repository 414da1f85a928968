"""Sends live events to Redis from a separate thread, so that trials never wait for Redis."""

import atexit
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from functools import lru_cache

import redis

from backend.core.config import get_settings
from backend.core.queue import open_redis
from backend.core.runs.live.event_stream import RunStream, append_events
from backend.core.runs.live.events import GapEvent, LiveEvent
from worker.monitoring import EVENTS_DROPPED, EVENTS_WAITING

_log = logging.getLogger(__name__)

# A trial sends two events a second. Only a build that writes a lot comes near this limit.
_MAX_WAITING = 2_000
_BATCH = 200
_PAUSE_SECONDS = 1.0
_CLOSE_SECONDS = 1.0

_QueuedEvent = tuple[RunStream, LiveEvent]


class EventSender:
    """A bounded queue, and a thread that sends its events to Redis.

    `put` never blocks. While Redis is slow or gone, the newest events wait and older ones are
    dropped. Once Redis answers again, each run that lost events gets a `gap` event with their
    number.
    """

    def __init__(
        self,
        client: redis.Redis,
        *,
        max_waiting: int = _MAX_WAITING,
        pause_s: float = _PAUSE_SECONDS,
    ) -> None:
        self._client = client
        self._max_waiting = max_waiting
        self._pause_s = pause_s
        self._waiting: deque[_QueuedEvent] = deque()
        self._dropped: Counter[RunStream] = Counter()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_down = False
        self._outage_began: float | None = None
        self._unlogged = 0

    def put(self, stream: RunStream, event: LiveEvent) -> None:
        """Queue an event of a run for sending; returns at once."""
        with self._changed:
            self._waiting.append((stream, event))
            self._drop_oldest()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="live-events", daemon=True)
                self._thread.start()
            self._changed.notify()

    def count_waiting(self) -> int:
        """Return the number of events that wait."""
        return len(self._waiting)

    def _drop_oldest(self) -> None:
        while len(self._waiting) > self._max_waiting:
            self._dropped[self._waiting.popleft()[0]] += 1
            EVENTS_DROPPED.inc()

    def close(self, timeout_s: float = _CLOSE_SECONDS) -> None:
        """Send waiting events for at most `timeout_s`, and end the thread."""
        self._closing.set()
        with self._changed:
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _run(self) -> None:
        with self._client:
            while self._await_work():
                if not self._flush() and self._closing.wait(self._pause_s):
                    return

    def _await_work(self) -> bool:
        """Wait for work; return False if the sender is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_down or self._closing.is_set())
            return bool(self._waiting) or not self._closing.is_set()

    def _flush(self) -> bool:
        """Send the next batch, gaps first; return False if Redis does not answer."""
        batch: list[_QueuedEvent] = []
        dropped: Counter[RunStream] = Counter()
        try:
            if self._is_down:
                self._client.ping()
            batch, dropped = self._take()
            # Dropped events are older than all waiting events.
            gaps = [(stream, GapEvent(dropped=count)) for stream, count in dropped.items()]
            append_events(self._client, [*gaps, *batch])
        except redis.RedisError as error:
            self._note_failure(error, batch, dropped)
            return False
        self._note_success(dropped.total())
        return True

    def _take(self) -> tuple[list[_QueuedEvent], Counter[RunStream]]:
        """Return the next events, and the numbers of events dropped before them by run."""
        with self._changed:
            dropped, self._dropped = self._dropped, Counter()
            count = min(len(self._waiting), _BATCH)
            return [self._waiting.popleft() for _ in range(count)], dropped

    def _note_failure(
        self, error: redis.RedisError, batch: Sequence[_QueuedEvent], dropped: Counter[RunStream]
    ) -> None:
        with self._changed:
            self._dropped += dropped
            if isinstance(error, redis.ConnectionError):
                self._waiting.extendleft(reversed(batch))
                self._drop_oldest()
            else:
                # Redis may have stored a batch that timed out: it must not be sent twice.
                self._dropped.update(run_id for run_id, _ in batch)
                EVENTS_DROPPED.inc(len(batch))
        self._is_down = True
        if self._outage_began is None:
            self._outage_began = time.monotonic()
            _log.warning(
                "Redis does not answer (%s). Trials go on; live views get no updates.",
                type(error).__name__,
            )

    def _note_success(self, dropped: int) -> None:
        """Log the end of an outage, or the number of dropped events, once no event waits."""
        self._is_down = False
        self._unlogged += dropped
        if self._waiting or (self._outage_began is None and not self._unlogged):
            return
        began, self._outage_began = self._outage_began, None
        lost, self._unlogged = self._unlogged, 0
        _log.warning(
            "Redis accepts live events again, after %.0f s; %d were dropped.",
            0.0 if began is None else time.monotonic() - began,
            lost,
        )


@lru_cache
def get_sender() -> EventSender:
    """Return this worker's sender, which is closed when the process ends."""
    sender = EventSender(open_redis(get_settings().redis_url))
    EVENTS_WAITING.set_function(sender.count_waiting)
    atexit.register(sender.close)
    return sender
