"""Publish and read the live events of runs over Redis streams.

PostgreSQL owns all state: the state that a lost event reported is read from PostgreSQL. The keys of
the streams begin with the bench host of the run, so that each host may write only to its own.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import redis
import redis.asyncio
from pydantic import ValidationError
from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.core.models import Host, Run
from backend.core.queue import get_redis, quote_queue
from backend.core.runs.live.events import (
    EndEvent,
    GapEvent,
    LiveEvent,
    LogEvent,
    SampleEvent,
    TrialEvent,
)

EVENTS_KEPT = 20_000
EVENTS_TTL_SECONDS = 24 * 3600
_BLOCK_MS = 5_000
_EVENTS_AT_ONCE = 500
# Longer than a read blocks, so that a quiet stream is not an error.
_SOCKET_TIMEOUT_SECONDS = 15

# Redis answers: the entries of one stream, each an id and its fields.
_Entries = Iterable[tuple[bytes, Mapping[bytes, bytes]]]

# The events that a worker sends.
_KINDS: Mapping[str, type[LiveEvent]] = {
    kind.kind: kind for kind in (TrialEvent, SampleEvent, LogEvent, GapEvent, EndEvent)
}
# A failure holds all checks of the contract.
_MOST_EVENT_BYTES = 1_000_000

# `host` is a queue, quoted so that it contains no colon.
STREAM = "events:{host}:{run_id}"


@dataclass(frozen=True)
class RunStream:
    """The stream of a run. `host` is the queue of the bench host that measures it."""

    host: str
    run_id: UUID

    @property
    def key(self) -> str:
        """Return the key in Redis."""
        return STREAM.format(host=quote_queue(self.host), run_id=self.run_id)


@dataclass(frozen=True)
class StoredEvent:
    """An event of a run in Redis. `id` orders the events of a run; `data` is JSON.

    `kind` and `data` are empty if a bench host sent something that is not an event.
    """

    id: str
    kind: str
    data: str


def find_stream(session: Session, run: Run) -> RunStream:
    """Return the stream of a run."""
    return RunStream(session.get_one(Host, run.host_id).queue, run.id)


def publish(stream: RunStream, *events: LiveEvent) -> None:
    """Append events to a run's stream in one round trip. If they are lost, live views lag."""
    append_events(get_redis(), [(stream, event) for event in events])


def append_events(client: redis.Redis, events: Iterable[tuple[RunStream, LiveEvent]]) -> None:
    """Append events, each to its run's stream, in one round trip."""
    keys = set()
    pipeline = client.pipeline(transaction=False)
    for stream, event in events:
        keys.add(key := stream.key)
        # The field is called `name` because streams may outlive an upgrade.
        fields: dict[bytes | str, str] = {"name": event.kind, "data": event.model_dump_json()}
        pipeline.xadd(key, fields, maxlen=EVENTS_KEPT, approximate=True)  # type: ignore[arg-type]
    for key in keys:
        pipeline.expire(key, EVENTS_TTL_SECONDS)
    pipeline.execute()


def remove_stream(stream: RunStream) -> None:
    """Remove the events of a run, which would stay for a day."""
    get_redis().unlink(stream.key)


@asynccontextmanager
async def open_event_connection() -> AsyncIterator[redis.asyncio.Redis]:
    """Open a Redis connection for reading events, and close it at the end."""
    client = redis.asyncio.Redis.from_url(
        get_settings().redis_url, socket_timeout=_SOCKET_TIMEOUT_SECONDS, socket_connect_timeout=5
    )
    try:
        yield client
    finally:
        await client.aclose()


async def read_events(
    connection: redis.asyncio.Redis, stream: RunStream, after: str, *, wait: bool = False
) -> list[StoredEvent]:
    """Return at most 500 events of a run after the id `after` ("0" for all).

    Args:
        wait: whether to wait a few seconds if there are none.
    """
    # The types of redis-py also allow decoded text, which this connection does not return.
    answer: Any = await connection.xread(
        {stream.key: after}, count=_EVENTS_AT_ONCE, block=_BLOCK_MS if wait else None
    )
    if not answer:
        return []
    streams = answer.values() if isinstance(answer, dict) else [entries for _, entries in answer]
    return [event for entries in streams for event in _parse_entries(entries)]


async def find_last_event_id(connection: redis.asyncio.Redis, stream: RunStream) -> str:
    """Return the id of a run's newest event; "0" without any."""
    newest: Any = await connection.xrevrange(stream.key, count=1)
    return str(newest[0][0].decode()) if newest else "0"


def _parse_entries(entries: _Entries) -> Iterator[StoredEvent]:
    for identifier, fields in entries:
        kind = fields.get(b"name", b"").decode(errors="replace")
        data = fields.get(b"data", b"")
        is_valid = kind in _KINDS and len(data) <= _MOST_EVENT_BYTES and _fits(_KINDS[kind], data)
        yield StoredEvent(identifier.decode(), *((kind, data.decode()) if is_valid else ("", "")))


def _fits(kind: type[LiveEvent], data: bytes) -> bool:
    try:
        kind.model_validate_json(data)
    except ValidationError:
        return False
    return True
