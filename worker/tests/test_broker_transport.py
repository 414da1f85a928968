"""Celery's transport works for a bench host's user, who may run no scripts."""

import hashlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from celery import Celery
from kombu import Connection
from redis.exceptions import LockNotOwnedError

from backend.core.config import Settings
from backend.core.operations.bench_hosts import broker
from backend.core.queue import (
    VISIBILITY_TIMEOUT_SECONDS,
    get_redis,
    host_queue,
    make_celery,
    make_queue,
    open_redis,
    unacknowledged_keys,
)
from worker.broker_transport import HostTransport, ScriptFreeLock

QUEUE = "bench-01"
NAME = "tacho_host_0123456789abcdef"
KEYS = unacknowledged_keys(QUEUE)


@pytest.fixture
def address(database: Settings) -> Iterator[str]:
    """The address of Redis with the user of a bench host."""
    digest = hashlib.sha256(b"secret").hexdigest()
    broker.put_users(get_redis(), {NAME: (digest, QUEUE)})
    yield f"redis://{NAME}:secret@{database.redis_url.rpartition('@')[2]}"
    broker.delete_users(get_redis(), [NAME])


@pytest.fixture
def app(address: str) -> Iterator[Celery]:
    app = make_celery(address)
    yield app
    app.close()


def connect(app: Celery, address: str) -> Connection:
    return Connection(
        address,
        transport=HostTransport,
        transport_options={**app.conf.broker_transport_options, **KEYS},
    )


def test_a_message_that_was_not_acknowledged_is_delivered_again(app: Celery, address: str) -> None:
    app.send_task("task", queue=host_queue(QUEUE), ignore_result=True, retry=False)
    with connect(app, address) as connection:
        channel: Any = connection.channel()
        message = make_queue(host_queue(QUEUE))(channel).get()
        assert message is not None
        assert get_redis().llen(host_queue(QUEUE)) == 0
        long_ago = time.time() - VISIBILITY_TIMEOUT_SECONDS - 1
        get_redis().zadd(KEYS["unacked_index_key"], {str(message.delivery_tag): long_ago})

        channel.qos.restore_visible(interval=1)

        assert get_redis().llen(host_queue(QUEUE)) == 1
        assert not get_redis().exists(KEYS["unacked_mutex_key"])


def test_an_expired_lock_of_another_worker_stays(address: str) -> None:
    name = KEYS["unacked_mutex_key"]
    with open_redis(address) as client:
        lock = ScriptFreeLock(client, name, timeout=60)
        assert lock.acquire(blocking=False)
        assert not ScriptFreeLock(client, name, timeout=60).acquire(blocking=False)
        get_redis().set(name, "of another worker")

        with pytest.raises(LockNotOwnedError):
            lock.release()

    assert get_redis().get(name) == b"of another worker"


def test_a_host_cannot_stop_redis_with_a_script(address: str) -> None:
    with open_redis(address) as client, pytest.raises(redis.ResponseError):
        client.eval("local n = 0 while n < 1e10 do n = n + 1 end", 0)

    assert get_redis().ping()
