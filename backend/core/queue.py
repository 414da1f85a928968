"""Send wake-up messages to workers over Celery.

PostgreSQL owns all state. A lost wake-up message is sent again later.

Functions import Celery and Kombu themselves, because the API does not need them to start.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import UUID

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import event
from sqlalchemy.orm import Session

from backend.core.config import get_settings

if TYPE_CHECKING:
    from celery import Celery
    from kombu import Queue

logger = logging.getLogger(__name__)

# Longer than any message may wait for a host: after this time, Redis delivers an unacknowledged
# message again. Every consumer needs the same setting.
VISIBILITY_TIMEOUT_SECONDS = 7 * 24 * 3600
WORK_TASK = "host.work"
LOAD_TASK = "load.send"
# A Redis stream of a load. Both hosts are queues, quoted so that they contain no colon.
LOAD_STREAM = "load:{service_host}:{load_host}:{load_id}:{kind}"
LOAD_STREAM_KINDS = ("signals", "reports")
# A Redis list of texts to the dispatcher; see `worker.dispatcher.app`. Bench hosts may append.
REQUESTS = "requests"
FINALIZE_REQUEST = "finalize"
DELIVER_REQUEST = "deliver"
# Followed by a space and the id of the trial.
LOAD_REQUEST = "load"
# The dispatcher waits for requests for a second at a time.
_MOST_IDLE_SECONDS = 5
# Sending must not delay a request or a trial. After this time, a wake-up message is sent again
# later, and the state of a run is read from PostgreSQL.
SEND_TIMEOUT_SECONDS = 2.0


def host_queue(queue: str) -> str:
    """Return the name in Redis of a bench host's queue.

    Args:
        queue: `Host.queue`, which is TACHO_BENCH_HOST of the worker. Here and below.
    """
    return f"host.{queue}"


def load_queue(queue: str) -> str:
    """Return the name in Redis of the queue of requests to send load from a bench host."""
    return f"load.{queue}"


def quote_queue(queue: str) -> str:
    """Return a queue without spaces and colons, for names in Redis."""
    return quote(queue, safe="")


def worker_client_name(queue: str) -> str:
    """Return the name of a worker's connections, which Redis allows no spaces in."""
    return f"worker@{quote_queue(queue)}"


def signal_channel(queue: str) -> str:
    """Return the name in Redis of the channel of signals to a bench host; see `signal_host`."""
    return f"signal.{quote_queue(queue)}"


def dispatcher_client_name(bench_host: str) -> str:
    """Return the name of the connection on which a dispatcher waits for requests.

    Args:
        bench_host: TACHO_BENCH_HOST of the dispatcher.
    """
    return f"dispatcher@{quote_queue(bench_host)}"


def unacknowledged_keys(queue: str) -> dict[str, str]:
    """Return the keys of messages that a bench host has taken and not acknowledged yet.

    They are options of Kombu's transport. Each host has its own, so that no host reads another's.
    """
    prefix = f"unacked.{host_queue(queue)}"
    return {
        "unacked_key": prefix,
        "unacked_index_key": f"{prefix}.index",
        "unacked_mutex_key": f"{prefix}.mutex",
    }


def make_celery(redis_url: str) -> Celery:
    """Create the Celery application, for sending and for consuming.

    Messages are acknowledged early: with late acknowledgement, a task that takes longer than the
    visibility timeout would start twice.
    """
    from celery import Celery  # noqa: PLC0415  see the module's docstring

    transport = {
        "visibility_timeout": VISIBILITY_TIMEOUT_SECONDS,
        "socket_timeout": SEND_TIMEOUT_SECONDS,
        "socket_connect_timeout": SEND_TIMEOUT_SECONDS,
        # A request for a run must not wait for a broker that is down: the wake-up message is sent
        # again later.
        "connect_retries_timeout": 1,
        "interval_start": 0.2,
        "interval_step": 0.2,
    }
    app = Celery("tacho", broker=redis_url)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        # A worker waits for Redis without limit, and continues its trial in the meantime.
        broker_connection_max_retries=None,
        broker_transport_options=transport,
        visibility_timeout=VISIBILITY_TIMEOUT_SECONDS,
        result_backend_transport_options=transport,
        task_create_missing_queues=True,
    )
    return app


@lru_cache
def get_celery() -> Celery:
    """Return the Celery application of the process, created from the settings."""
    return make_celery(get_settings().redis_url)


def is_connected(redis_url: str, name: str) -> bool:
    """Return whether a client with this name is connected to this Redis."""
    return bool(_list_idle_seconds(redis_url, name))


def answers_dispatcher(redis_url: str, bench_host: str) -> bool:
    """Return whether the dispatcher next to a bench host waits for requests in this Redis."""
    idle = _list_idle_seconds(redis_url, dispatcher_client_name(bench_host))
    return any(seconds < _MOST_IDLE_SECONDS for seconds in idle)


def _list_idle_seconds(redis_url: str, name: str) -> list[int]:
    """Return for each client with this name the seconds since it sent a command."""
    try:
        with open_redis(redis_url) as client:
            return [
                int(found["idle"]) for found in client.client_list() if found.get("name") == name
            ]
    except redis.RedisError:
        return []


def consumed_queues(queue: str) -> list[Queue]:
    """Return the queues of a bench host's worker: wake-up messages, and requests to send load."""
    return [make_queue(host_queue(queue)), make_queue(load_queue(queue))]


def make_queue(name: str) -> Queue:
    """Create a queue that is bound to an exchange of the same name."""
    from kombu import Exchange, Queue  # noqa: PLC0415  see the module's docstring

    return Queue(name, Exchange(name), routing_key=name)


def wake_up_worker(queue: str) -> None:
    """Send a bench host the message that trials wait for it. Sending it twice does no harm."""
    get_celery().send_task(
        WORK_TASK, args=[queue], queue=host_queue(queue), ignore_result=True, retry=False
    )


def request_load_hosts(trial_id: UUID) -> None:
    """Request from the dispatcher that the load hosts of a trial send its load.

    Raises `redis.RedisError` when Redis does not answer.
    """
    get_redis().lpush(REQUESTS, f"{LOAD_REQUEST} {trial_id}")


def request_load(queue: str, part: dict[str, object]) -> None:
    """Request from a load host that it sends a part of a trial's load.

    Raises kombu's OperationalError when the broker does not answer.
    """
    get_celery().send_task(
        LOAD_TASK, args=[part], queue=load_queue(queue), ignore_result=True, retry=False
    )


def try_wake_up_worker(queue: str) -> bool:
    """Send a bench host its wake-up message; False, with a log line, when the broker is down."""
    return _try_send(lambda: wake_up_worker(queue), queue)


def try_wake_up_finalizer() -> bool:
    """Notify the dispatcher that a run may be due for a judgement or for its finalization.

    Returns False, with a log line, when Redis does not answer.
    """
    return _try_send(lambda: get_redis().lpush(REQUESTS, FINALIZE_REQUEST), "the dispatcher")


def signal_host(queue: str) -> None:
    """Notify a bench host that one of its runs was cancelled, judged or finalized.

    A host that waits for this reads the database again every few seconds without a signal.
    """
    _try_send(lambda: get_redis().publish(signal_channel(queue), ""), queue)


def _try_send(send: Callable[[], object], receiver: str) -> bool:
    from kombu.exceptions import OperationalError  # noqa: PLC0415  see the module's docstring

    try:
        send()
    except (redis.RedisError, OperationalError) as error:
        logger.warning("%s gets its wake-up message later, because of Redis: %s", receiver, error)
        return False
    return True


def wake_up_dispatcher() -> None:
    """Notify the dispatcher that webhook deliveries are waiting."""
    get_redis().lpush(REQUESTS, DELIVER_REQUEST)


def open_redis(redis_url: str, client_name: str | None = None) -> redis.Redis:
    """Return a client for bytes that does not retry; it times out after `SEND_TIMEOUT_SECONDS`.

    Args:
        client_name: of its connections, as Redis lists them.
    """
    return redis.Redis.from_url(
        redis_url,
        client_name=client_name,
        socket_timeout=SEND_TIMEOUT_SECONDS,
        socket_connect_timeout=SEND_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


@lru_cache
def get_redis() -> redis.Redis:
    """Return the Redis client of the process."""
    return open_redis(get_settings().redis_url)


def after_commit(session: Session, action: Callable[[], None]) -> None:
    """Call `action`, which sends something over Redis, after the session commits.

    A broker that is down must not turn a committed change into an error: the wake-up message is
    sent again periodically, and a live view reads its state from PostgreSQL when it connects.
    """

    def act(_: Session) -> None:
        from kombu.exceptions import OperationalError  # noqa: PLC0415  see the module's docstring

        try:
            action()
        except (redis.RedisError, OperationalError) as error:
            logger.warning("could not send a message over Redis: %s", error)

    event.listen(session, "after_commit", act, once=True)
