"""A run's live events, as server-sent events."""

import logging
from asyncio import CancelledError
from collections.abc import Collection, Sequence
from uuid import UUID

from fastapi.responses import StreamingResponse
from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send

from backend.api.access.caller import Caller, Proof
from backend.api.process.callers import set_current_caller
from backend.api.process.database import RequestDatabase
from backend.api.process.rates import OpenStream
from backend.api.process.relay import Relay, State, Subscription, make_state
from backend.api.runs.schemas import RunEvent
from backend.api.runs.views import run_progress
from backend.core.errors import NotFound
from backend.core.people.access.viewer import PUBLIC
from backend.core.runs import repository
from backend.core.runs.live.readers import RunReader, find_refused, look_up_readers
from backend.core.runs.queue.waiting import find_places
from backend.core.runs.trials import repository as trials

_log = logging.getLogger(__name__)
# Proxies such as nginx would otherwise hold events back.
_HEADERS = {"X-Accel-Buffering": "no"}


def open_relay(database: RequestDatabase) -> Relay:
    """The event streams of one API process."""

    async def read_state(run_id: UUID) -> State:
        # All clients of a run share this call, in the task of one of them.
        set_current_caller(None)
        return await database.read(lambda session: _read_state(session, run_id))

    async def check(readers: Sequence[RunReader]) -> Collection[RunReader]:
        return find_refused(readers, await database.look_up(*look_up_readers(readers)))

    return Relay(read_state, check)


def make_reader(caller: Caller, run_id: UUID) -> RunReader:
    """Return who reads a run, for the checks during a stream or an export."""
    return RunReader(
        run_id,
        caller.session_id,
        caller.token_id,
        is_owner=caller.proof is Proof.TOKEN,
        is_local=caller.proof is Proof.LOOPBACK,
    )


async def check_reader(database: RequestDatabase, reader: RunReader) -> None:
    """Raise NotFound if someone may not open a run any more."""
    rows = await database.look_up(*look_up_readers([reader]), is_patient=True)
    if find_refused([reader], rows):
        raise NotFound(f"There is no run {str(reader.run_id)!r}.")


class EventStream(StreamingResponse):
    """One client's stream; leaves its run's reader however the stream ends."""

    media_type = "text/event-stream"

    def __init__(self, subscription: Subscription, after: str, counted: OpenStream) -> None:
        super().__init__(subscription.stream(after), headers=_HEADERS)
        self._subscription = subscription
        self._counted = counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except CancelledError:
            # The server stops, and waits no longer for open streams. Clients connect again.
            _log.info("a stream was still open when the server stopped")
        finally:
            self._subscription.close()
            self._counted.close()


def _read_state(session: Session, run_id: UUID) -> State:
    run = repository.get_run_head(session, str(run_id))
    counts = trials.count_trials(session, [run.id])[run.id]
    began_at = trials.find_current_start(session, run.id)
    place = find_places(session, [run], PUBLIC).get(run.id)
    progress = run_progress(run, counts, place, began_at)
    return make_state(run.status, RunEvent(status=run.status, progress=progress))
