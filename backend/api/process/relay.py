"""Live events of runs for many clients: all clients of one run share one reader.

A client gets the events after the last one it has, then new ones as they come, each exactly once:
it joins the reader at a known position, reads the history up to there by itself (clients that need
the same page share it), and takes what follows from its queue.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, time
from typing import NamedTuple
from uuid import UUID

from fastapi.sse import format_sse_event
from redis import RedisError
from redis.asyncio import Redis
from sqlalchemy.exc import SQLAlchemyError

from backend.api.process.callers import set_current_caller
from backend.api.process.gates import Shared
from backend.api.process.monitoring import EVENT_LAG_SECONDS
from backend.api.process.outages import OutageLog
from backend.core.errors import TachoError, Unavailable
from backend.core.runs.live.event_stream import (
    RunStream,
    StoredEvent,
    find_last_event_id,
    open_event_connection,
    read_events,
)
from backend.core.runs.live.events import ClosedEvent, EndEvent, LiveEvent, TrialEvent
from backend.core.runs.live.readers import RunReader
from backend.core.runs.status import RUN_ENDS
from backend.core.statuses import RunStatus

MOST_CLIENTS = 1000
# Events that a client may be behind. Above this limit its stream ends, and it reconnects.
_MOST_WAITING = 1000
# The events of this time go to a client in one message.
_BATCH_SECONDS = 0.25
_PROGRESS_SECONDS = 1.0
_CHECK_SECONDS = 1.0
# While the rights of clients cannot be checked, streams end after this time.
_UNCHECKED_SECONDS = 10.0
_BROKEN = (RedisError, SQLAlchemyError, TachoError, OSError)

Position = tuple[int, ...]


@dataclass(frozen=True)
class State:
    """A run's status and progress as an event of its own, which has no id."""

    status: RunStatus
    is_ended: bool
    event: bytes


class Item(NamedTuple):
    """A piece of an event stream. A piece without a position is not part of the history."""

    position: Position | None
    content: bytes
    is_last: bool


@dataclass(eq=False)
class Client:
    """One event stream; `None` in its queue means that nothing follows."""

    reader: RunReader
    queue: "asyncio.Queue[Item | None]" = field(
        default_factory=lambda: asyncio.Queue(_MOST_WAITING)
    )
    is_dropped: bool = False
    is_refused: bool = False

    def put(self, item: Item | None) -> None:
        """Queue a piece, or drop the client if it is too far behind."""
        if self.is_refused:
            return
        if self.queue.full():
            self.is_dropped = True
        else:
            self.queue.put_nowait(item)

    def refuse(self) -> None:
        """End the stream, without what is queued, because the client may not follow the run."""
        while not self.queue.empty():
            self.queue.get_nowait()
        self.put(make_closed())
        self.is_refused = True


class Relay:
    """The event streams of one API process.

    Each second, one statement checks whether all clients may still open their runs.

    Args:
        read_state: a run's status and progress now.
        find_refused: returns those of the readers who may not open their run any more.
    """

    def __init__(
        self,
        read_state: Callable[[UUID], Awaitable[State]],
        find_refused: Callable[[Sequence[RunReader]], Awaitable[Collection[RunReader]]],
    ) -> None:
        self._read_state = read_state
        self._find_refused = find_refused
        self._channels: dict[UUID, _Channel] = {}
        self._checking: asyncio.Task[None] | None = None
        self.outages = OutageLog("Event streams", "are interrupted", "are open again")

    def join(self, stream: RunStream, reader: RunReader) -> "Subscription":
        """Add a client to a run. The caller closes the subscription at the end.

        Raises:
            Unavailable: there are too many clients.
        """
        if self.count_clients() >= MOST_CLIENTS:
            raise Unavailable(
                f"{MOST_CLIENTS:,} event streams are open, more than the API serves at the same "
                "time. Try again later."
            )
        run_id = stream.run_id
        channel = self._channels.get(run_id)
        if channel is None:
            channel = _Channel(stream, Shared(partial(self._read_state, run_id)), self)
            self._channels[run_id] = channel
        subscription = Subscription(channel, reader)
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check_readers())
        return subscription

    def count_clients(self) -> int:
        """Return the number of open event streams."""
        return len(self._list_clients())

    async def _check_readers(self) -> None:
        """Check the rights of all clients each second, until there are none."""
        checked_at = monotonic()
        while clients := self._list_clients():
            try:
                refused = await self._find_refused(list({client.reader for client in clients}))
            except Exception as error:  # noqa: BLE001  no stream may go on unchecked
                self.note_failure(error)
                if monotonic() - checked_at > _UNCHECKED_SECONDS:
                    # They come back, and are checked then.
                    for client in self._list_clients():
                        client.put(None)
            else:
                checked_at = monotonic()
                for client in clients:
                    if client.reader in refused:
                        client.refuse()
            await asyncio.sleep(_CHECK_SECONDS)

    def _list_clients(self) -> list[Client]:
        return [client for channel in self._channels.values() for client in channel.clients]

    def forget(self, channel: "_Channel") -> None:
        """Let the next client of the run begin with a new reader."""
        if self._channels.get(channel.stream.run_id) is channel:
            del self._channels[channel.stream.run_id]

    def note_failure(self, error: Exception) -> None:
        """Log an outage. A deleted run or a busy database is not an outage."""
        if not isinstance(error, TachoError):
            self.outages.note_failure(error)


class _Channel:
    """The reader of one run and its clients; it ends with the last client."""

    def __init__(self, stream: RunStream, state: Shared[State], relay: Relay) -> None:
        self.stream = stream
        self.state = state
        self.clients: set[Client] = set()
        self.relay = relay
        self._pages: dict[str, Shared[list[StoredEvent]]] = {}
        self._joined: asyncio.Future[Redis] = asyncio.Future()
        self._position: Position = (0, 0)
        self._task = asyncio.create_task(self._run())

    async def find_position(self) -> Position:
        """Return the position of the reader. Later events reach the queues of the clients.

        Raises:
            RedisError: the reader could not begin.
        """
        await asyncio.shield(self._joined)
        return self._position

    async def read_page(self, after: str) -> list[StoredEvent]:
        """Return the next events of the history. Clients that need the same page share the read."""
        connection = await asyncio.shield(self._joined)
        page = self._pages.setdefault(
            after, Shared(partial(read_events, connection, self.stream, after))
        )
        try:
            return await page.get()
        finally:
            self._pages.pop(after, None)

    def leave(self, client: Client) -> None:
        """Remove a client; the last one ends the reader."""
        self.clients.discard(client)
        if not self.clients:
            self.relay.forget(self)
            self._task.cancel()

    async def _run(self) -> None:
        # The task began in that of its first client.
        set_current_caller(None)
        try:
            async with open_event_connection() as connection:
                self._position = _parse(await find_last_event_id(connection, self.stream))
                self._joined.set_result(connection)
                self.relay.outages.note_success()
                await self._read(connection)
        except _BROKEN as error:
            self.relay.note_failure(error)
            if not self._joined.done():
                self._joined.set_exception(error)
                # All callers may be gone.
                self._joined.exception()
        finally:
            self.relay.forget(self)
            for client in self.clients:
                client.put(None)

    async def _read(self, connection: Redis) -> None:
        told_at = monotonic()
        while True:
            events = await read_events(connection, self.stream, _format(self._position), wait=True)
            if not events:
                state = await self.state.get()
                self._send(Item(None, state.event, is_last=False))
                if state.is_ended:
                    self._send(make_end(state))
            now_ms = time() * 1e3
            for event in events:
                if event.kind == TrialEvent.kind and monotonic() - told_at >= _PROGRESS_SECONDS:
                    state = await self.state.get()
                    self._send(Item(None, state.event, is_last=False))
                    told_at = monotonic()
                item = make_item(event)
                self._position = item.position or self._position
                # The first part of an id is the time of Redis, whose clock may be ahead.
                EVENT_LAG_SECONDS.observe(max(0.0, now_ms - self._position[0]) / 1e3)
                self._send(item)
            await asyncio.sleep(_BATCH_SECONDS)

    def _send(self, item: Item) -> None:
        for client in self.clients:
            client.put(item)


class Subscription:
    """A client's position in a channel."""

    def __init__(self, channel: _Channel, reader: RunReader) -> None:
        self._channel = channel
        self._client = Client(reader)
        channel.clients.add(self._client)

    def close(self) -> None:
        """Leave the channel."""
        self._channel.leave(self._client)

    async def stream(self, after: str) -> AsyncIterator[bytes]:
        """The run's state, its events after the event `after`, then new ones, to its end.

        It ends early when the client is too slow, or when Redis or the database fail: the client
        comes back with the id of its last event. It ends with the event `closed` when the client
        may not open the run any more.
        """
        try:
            async for content in self._stream(after):
                yield content
        except _BROKEN as error:
            self._channel.relay.note_failure(error)

    async def _stream(self, after: str) -> AsyncIterator[bytes]:
        yield (await self._channel.state.get()).event
        reached = await self._channel.find_position()
        position = _parse(after)
        while position < reached:
            page = [make_item(event) for event in await self._channel.read_page(_format(position))]
            page = [item for item in page if item.position is not None and item.position <= reached]
            if not page or self._client.is_refused:
                break
            yield b"".join(item.content for item in page)
            if page[-1].is_last:
                return
            position = page[-1].position or reached
        state = await self._channel.state.get()
        if not self._client.is_refused:
            yield state.event
        async for content in self._take(max(position, reached), state):
            yield content

    async def _take(self, position: Position, state: State) -> AsyncIterator[bytes]:
        """Yield the queued pieces after `position`, up to the last piece, as they come."""
        queue = self._client.queue
        while not self._client.is_dropped:
            if state.is_ended and queue.empty() and not self._client.is_refused:
                # No more events are published, and the last event of the run may no longer be
                # stored.
                yield make_end(state).content
                return
            items = [await queue.get()]
            while not queue.empty():
                items.append(queue.get_nowait())
            is_over = False
            contents = []
            for item in items:
                is_over = item is None or item.is_last
                if item is not None and (item.position is None or item.position > position):
                    contents.append(item.content)
                if is_over:
                    break
            if contents:
                yield b"".join(contents)
            if is_over:
                return


def make_state(status: RunStatus, event: LiveEvent) -> State:
    """Return a run's state; `event` reports it to clients."""
    return State(status, status in RUN_ENDS, _format_event(event))


def make_item(event: StoredEvent) -> Item:
    """An event of the history as it goes to the clients. An invalid one has no content."""
    content = format_sse_event(event=event.kind, id=event.id, data_str=event.data)
    if not event.kind:
        content = b""
    return Item(_parse(event.id), content, is_last=event.kind == EndEvent.kind)


def make_end(state: State) -> Item:
    """Return the last piece of a run whose own last event is gone."""
    return Item(None, _format_event(EndEvent(status=state.status)), is_last=True)


def make_closed() -> Item:
    """Return the last piece for a client that may not follow the run any more."""
    detail = "You may not follow this run any more."
    return Item(None, _format_event(ClosedEvent(detail=detail)), is_last=True)


def _format_event(event: LiveEvent) -> bytes:
    return format_sse_event(event=event.kind, data_str=event.model_dump_json())


def _parse(identifier: str) -> Position:
    first, _, second = identifier.partition("-")
    return int(first), int(second or 0)


def _format(position: Position) -> str:
    return "-".join(map(str, position))
