"""Handles the requests to the dispatcher, in a thread of the dispatcher.

They are texts in one list in Redis. A bench host may append to this list, and to no queue of
another host: a message of Celery can start any task, also on other hosts through its callbacks. The
thread accepts the requests of `backend.core.queue` and drops all other texts. Each request goes to
one dispatcher.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import cast
from uuid import UUID

import redis
from kombu.exceptions import OperationalError

from backend.core.config import get_settings
from backend.core.db import is_outage, parse_id, unit_of_work
from backend.core.queue import (
    DELIVER_REQUEST,
    FINALIZE_REQUEST,
    LOAD_REQUEST,
    REQUESTS,
    dispatcher_client_name,
    open_redis,
    request_load,
)
from backend.core.runs.load_hosts import find_requested_load
from worker.remote.messages import LoadPart
from worker.schema_watch import get_schema_watch
from worker.transactions import describe

_log = logging.getLogger(__name__)
_POLL_SECONDS = 1
_RETRY_SECONDS = 1.0
_LOG_SECONDS = 60.0
# No request is longer, and a log line shows no more of another text.
_MOST_CHARACTERS = 80


class _InvalidRequests:
    """Logs invalid requests, at most one each minute: a host may send any number of them."""

    def __init__(self) -> None:
        self._next_at = 0.0
        self._unlogged = 0

    def note(self, request: bytes) -> None:
        """Log a request that was dropped, unless another one was logged just before."""
        if time.monotonic() < self._next_at:
            self._unlogged += 1
            return
        shown = request[:_MOST_CHARACTERS]
        _log.warning("dropped an invalid request: %r (and %d before it)", shown, self._unlogged)
        self._next_at, self._unlogged = time.monotonic() + _LOG_SECONDS, 0


_invalid = _InvalidRequests()


class RequestReader:
    """Handles requests one after the other until `stop`."""

    def __init__(self, finalize: Callable[[], None], deliver: Callable[[], None]) -> None:
        """Prepare the thread.

        Args:
            finalize: lets the finalizer look for runs.
            deliver: lets the messages of webhooks be sent.
        """
        self._finalize = finalize
        self._deliver = deliver
        self._is_over = threading.Event()
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name="requests", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                settings = get_settings()
                name = dispatcher_client_name(settings.bench_host)
                with open_redis(settings.redis_url, name) as client:
                    self._read(client)
            except redis.RedisError as error:
                if self._is_answered:
                    _log.warning("Redis does not answer: %s", error)
                self._is_answered = False
                time.sleep(_RETRY_SECONDS)

    def _read(self, client: redis.Redis) -> None:
        while not self._is_over.is_set():
            found = cast("tuple[bytes, bytes] | None", client.brpop([REQUESTS], _POLL_SECONDS))
            self._is_answered = True
            if found is not None:
                self._try_handle(found[1])

    def _try_handle(self, request: bytes) -> None:
        # A request that is lost is not repeated: periodic tasks look for runs and messages, and a
        # trial without its load is repeated.
        try:
            if get_schema_watch().is_current():
                self.handle(request)
        except OperationalError as error:
            _log.warning("a request is lost, because Redis does not answer: %s", error)
        except Exception as error:  # noqa: BLE001  a thread's edge: it must go on
            if is_outage(error):
                _log.warning("a request is lost: %s", describe(error))
            else:
                _log.exception("handling a request")

    def handle(self, request: bytes) -> None:
        """Handle a request; drop an invalid one.

        Raises:
            SQLAlchemyError: the database does not answer.
            OperationalError: the broker does not answer.
        """
        kind, _, subject = request[:_MOST_CHARACTERS].decode(errors="replace").partition(" ")
        trial_id = parse_id(subject)
        if kind == FINALIZE_REQUEST:
            self._finalize()
        elif kind == DELIVER_REQUEST:
            self._deliver()
        elif kind == LOAD_REQUEST and trial_id is not None:
            request_load_of(trial_id)
        else:
            _invalid.note(request)


def request_load_of(trial_id: UUID) -> None:
    """Request each load host's part of the load of a trial; nothing if the trial does not run.

    Only the load hosts that the trial's run names get a request.
    """
    with unit_of_work() as session:
        load = find_requested_load(session, trial_id)
    if load is None:
        return
    for index, queue in enumerate(load.load_hosts):
        part = LoadPart(
            run_id=load.run_id,
            trial_id=load.trial_id,
            attempt=load.attempt,
            service_host=load.service_host,
            segment_index=index,
            segment_count=len(load.load_hosts),
        )
        request_load(queue, part.model_dump(mode="json"))
