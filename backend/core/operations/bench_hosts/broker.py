"""The users of bench hosts in Redis, and what they may do there.

A user reaches the queues of its host, Kombu's notes about these queues, the list of requests to the
dispatcher, the streams of loads in which its host takes part, the signals to its host, and the live
events of its runs. It reads no event. It runs no script: an endless script would stop Redis for
everybody.
"""

from collections.abc import Collection, Iterator, Mapping

import redis

from backend.core.queue import (
    LOAD_STREAM,
    LOAD_STREAM_KINDS,
    REQUESTS,
    host_queue,
    load_queue,
    quote_queue,
    signal_channel,
    unacknowledged_keys,
)
from backend.core.runs.live.event_stream import STREAM

# Kombu's separator between a queue and a priority.
_PRIORITY = "\x06\x16"
_CONNECTION = (
    *("auth", "hello", "ping", "select", "reset", "client|setinfo", "client|setname"),
    *("multi", "exec", "discard", "watch", "unwatch"),
)
# Kombu sends to a queue, waits for it, and notes messages that are not acknowledged yet.
_QUEUE = (
    *("lpush", "rpush", "brpop", "rpop", "llen", "exists"),
    *("hset", "hget", "hdel", "zadd", "zrem", "zrange"),
    *("sadd", "smembers", "srem"),
    # The lock under which it restores such messages; see `worker.broker_transport`.
    *("set", "get", "del"),
)


def put_users(client: redis.Redis, users: Mapping[str, tuple[str, str]]) -> None:
    """Create or correct users.

    Args:
        users: by name, the SHA-256 of the password in hexadecimal and the bench host's queue.
    """
    with client.pipeline(transaction=False) as pipeline:
        for name, (digest, queue) in users.items():
            rules = list_rules(digest, queue)
            pipeline.execute_command("ACL", "SETUSER", name, *rules)  # type: ignore[no-untyped-call]
        pipeline.execute()


def delete_users(client: redis.Redis, names: Collection[str]) -> None:
    """Delete users and end their connections; unknown names are ignored."""
    if names:
        client.execute_command("ACL", "DELUSER", *names)  # type: ignore[no-untyped-call]


def list_rules(digest: str, queue: str) -> Iterator[str]:
    """Return the rules of a user; those in parentheses are rights of other keys.

    Args:
        digest: SHA-256 of the password, in hexadecimal.
        queue: of the bench host.
    """
    yield from ("reset", "on", f"#{digest}", "resetchannels")
    yield from (f"+{command}" for command in (*_CONNECTION, *_QUEUE))
    for name in (host_queue(queue), load_queue(queue)):
        for key in (name, *_bindings(name)):
            yield f"~{_escape(key)}"
        yield f"~{_escape(name + _PRIORITY)}*"
    for key in unacknowledged_keys(queue).values():
        yield f"~{_escape(key)}"
    yield f"(+subscribe +unsubscribe &{_escape(signal_channel(queue))})"
    yield f"(+lpush %W~{REQUESTS})"
    own = _escape(quote_queue(queue))
    yield f"(+xadd +expire %W~{STREAM.format(host=own, run_id='*')})"
    for hosts in ({"service_host": own, "load_host": "*"}, {"service_host": "*", "load_host": own}):
        for kind in LOAD_STREAM_KINDS:
            stream = LOAD_STREAM.format(**hosts, load_id="*", kind=kind)
            yield f"(+xadd +xread +expire +exists +del ~{stream})"


def _bindings(name: str) -> tuple[str, str]:
    """Return the keys in which Kombu notes the queues of an exchange of this name."""
    return f"_kombu.binding.{name}", f"_kombu.binding_permanent.{name}"


def _escape(name: str) -> str:
    """Return a pattern of Redis that only this name matches.

    Patterns may contain no spaces, so any character matches a space.
    """
    return "".join(_escape_char(char) for char in name)


def _escape_char(char: str) -> str:
    if char.isspace():
        return "?"
    return f"\\{char}" if char in "*?[]\\^-" else char
