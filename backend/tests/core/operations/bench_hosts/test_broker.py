"""A bench host's user of Redis reaches its queue and writes live events, and nothing else."""

from collections.abc import Iterator
from uuid import UUID

import pytest
import redis

from backend.core.config import Settings
from backend.core.operations.bench_hosts import broker
from backend.core.queue import (
    get_redis,
    host_queue,
    load_queue,
    make_celery,
    open_redis,
    signal_channel,
    signal_host,
)
from backend.core.runs.live.event_stream import RunStream
from backend.tests.core.operations.bench_hosts.attempts import OtherHost, is_refused, list_commands
from backend.tests.waiting import LIMIT_S
from worker.remote.channels import ServiceChannel, reports_key, signals_key

QUEUE = "bench-[01]*"
OWN = host_queue(QUEUE)
OTHER = host_queue("bench-0")
NAME = "tacho_host_0123456789abcdef"
# SHA-256 of "secret".
DIGEST = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
RUN_ID = UUID("01a21064-10ca-7036-943c-9dbaa15c7d9a")
STREAM = RunStream(QUEUE, RUN_ID).key

PERMITTED: tuple[tuple[str, ...], ...] = (
    ("PING",),
    ("LPUSH", OWN, "message"),
    ("BRPOP", OWN, f"{OWN}\x06\x163", "1"),
    ("SADD", f"_kombu.binding.{OWN}", "member"),
    ("SMEMBERS", f"_kombu.binding.{OWN}"),
    ("HSET", f"unacked.{OWN}", "tag", "message"),
    ("LPUSH", "requests", "finalize"),
    # Requests to send load, and the streams of loads for its own services and from it.
    ("BRPOP", load_queue(QUEUE), "1"),
    ("XADD", signals_key(QUEUE, "bench-0", "trial.1"), "*", "signal", "start"),
    ("EXPIRE", reports_key(QUEUE, "bench-0", "trial.1"), "15"),
    ("XREAD", "STREAMS", reports_key(QUEUE, "bench-0", "trial.1"), "0"),
    ("DEL", signals_key(QUEUE, "bench-0", "trial.1")),
    ("XADD", reports_key("bench-0", QUEUE, "trial.1"), "*", "report", "{}"),
    ("XREAD", "STREAMS", signals_key("bench-0", QUEUE, "trial.1"), "0"),
    ("EXISTS", signals_key("bench-0", QUEUE, "trial.1")),
    ("XADD", STREAM, "MAXLEN", "~", "100", "*", "name", "log"),
    ("EXPIRE", STREAM, "60"),
)
OTHER_HOST = OtherHost(UUID(int=1), "bench-0", RUN_ID, UUID(int=2))
REFUSED = list_commands(NAME, QUEUE, RUN_ID, OTHER_HOST)


def sign_in(settings: Settings) -> str:
    """Return the URL of Redis with the user of the bench host."""
    return f"redis://{NAME}:secret@{settings.redis_url.rpartition('@')[2]}"


@pytest.fixture
def client(database: Settings) -> Iterator[redis.Redis]:
    """A client that is signed in as a bench host's user."""
    broker.put_users(get_redis(), {NAME: (DIGEST, QUEUE)})
    with open_redis(sign_in(database)) as client:
        yield client
    broker.delete_users(get_redis(), [NAME])


def test_a_host_may_do_what_a_trial_needs(client: redis.Redis) -> None:
    assert [command for command in PERMITTED if is_refused(client, command)] == []


@pytest.mark.usefixtures("client")
def test_celery_sends_messages_as_a_host(database: Settings) -> None:
    app = make_celery(sign_in(database))

    app.send_task("task", queue=OWN, ignore_result=True, retry=False)

    app.close()
    assert get_redis().llen(OWN) == 1


def test_a_host_removes_the_streams_of_a_load(client: redis.Redis) -> None:
    streams = [key(QUEUE, "bench-0", "trial.1") for key in (signals_key, reports_key)]
    for stream in streams:
        client.xadd(stream, {"signal": "start"})

    ServiceChannel(client, QUEUE, ["bench-0"], "trial.1").close()

    assert get_redis().exists(*streams) == 0


def test_a_host_receives_the_signals_to_itself_only(client: redis.Redis) -> None:
    with client.pubsub() as subscription:  # type: ignore[no-untyped-call]
        subscription.subscribe(signal_channel(QUEUE))
        assert subscription.get_message(timeout=LIMIT_S)["type"] == "subscribe"
        signal_host(QUEUE)
        assert subscription.get_message(timeout=LIMIT_S)["type"] == "message"
        subscription.subscribe(signal_channel("bench-0"))
        with pytest.raises(redis.exceptions.NoPermissionError):
            subscription.get_message(timeout=10)


def test_a_host_may_do_nothing_else(client: redis.Redis) -> None:
    get_redis().set("anything", "secret")
    get_redis().lpush(OTHER, "message")

    assert [command for command in REFUSED if not is_refused(client, command)] == []
    assert get_redis().llen(OTHER) == 1


def test_an_update_keeps_connections_and_follows_the_queue(client: redis.Redis) -> None:
    client.ping()

    broker.put_users(get_redis(), {NAME: (DIGEST, "bench-0")})

    assert client.lpush(OTHER, "message")
    assert is_refused(client, ("LPUSH", OWN, "message"))


def test_a_deleted_user_loses_its_connection(client: redis.Redis) -> None:
    client.ping()

    broker.delete_users(get_redis(), [NAME, "tacho_host_ffffffffffffffff"])

    with pytest.raises(redis.RedisError):
        client.ping()
