"""Receives the signals to a bench host: a run of it was cancelled, judged or finalized.

After a signal, the database is read. While Redis does not answer, signals are lost, and
what waits for them reads the database every few seconds.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import redis

from backend.core.queue import open_redis, signal_channel

_log = logging.getLogger(__name__)
_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 1.0


class HostSignals:
    """A thread that calls all listeners at each signal. Safe to use from several threads."""

    def __init__(self, redis_url: str, queue: str) -> None:
        """Prepare the thread; `start` starts it.

        Args:
            queue: of the bench host.
        """
        self._redis_url = redis_url
        self._channel = signal_channel(queue)
        self._listeners: list[Callable[[], None]] = []
        self._guard = threading.Lock()
        self._is_over = threading.Event()
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name="signals", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._is_over.set()
        self._thread.join()

    @contextmanager
    def listen(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call `listener` at each signal within the context. It must return at once."""
        with self._guard:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._guard:
                self._listeners.remove(listener)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self._receive()
            except redis.RedisError as error:
                if self._is_answered:
                    _log.warning("Redis sends no signals: %s", error)
                self._is_answered = False
                self._is_over.wait(_RETRY_SECONDS)

    def _receive(self) -> None:
        with open_redis(self._redis_url) as client, client.pubsub() as subscription:
            subscription.subscribe(self._channel)
            while not self._is_over.is_set():
                message = subscription.get_message(timeout=_WAIT_SECONDS)
                if message is None:
                    continue
                # The first message confirms the subscription. Signals before it may be lost.
                self._is_answered = True
                self._notify()

    def _notify(self) -> None:
        with self._guard:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()
