"""A run's live events, as server-sent events."""

from collections.abc import AsyncIterator
from time import monotonic
from uuid import UUID

from fastapi.concurrency import run_in_threadpool
from fastapi.sse import ServerSentEvent
from redis.asyncio import Redis

from backend.api.runs.views import run_progress
from backend.core.db import unit_of_work
from backend.core.queue import Event, read_events
from backend.core.runs import repository
from backend.core.runs.status import RUN_ENDS

LAST_EVENT = "end"


async def relay(wire: Redis, run_id: UUID, after: str) -> AsyncIterator[ServerSentEvent]:
    """Everything that happened in a run after the event `after`, then what happens, to its end.

    The run's progress follows every change of a trial. A run that has ended is told as its state
    now and `end`, also when its events are long gone.
    """
    yield await _progress(run_id)
    told_at = monotonic()
    async for event in read_events(wire, run_id, after):
        if event is None:
            state = await _progress(run_id)
            yield state
            if state.data["status"] in RUN_ENDS:
                yield ServerSentEvent(event=LAST_EVENT, data={"status": state.data["status"]})
                return
            continue
        if event.name == "trial" and monotonic() - told_at >= 1:
            yield await _progress(run_id)
            told_at = monotonic()
        yield _relayed(event)
        if event.name == LAST_EVENT:
            return


def _relayed(event: Event) -> ServerSentEvent:
    return ServerSentEvent(event=event.name, id=event.id, data=event.data)


async def _progress(run_id: UUID) -> ServerSentEvent:
    return ServerSentEvent(event="run", data=await run_in_threadpool(_read_progress, run_id))


def _read_progress(run_id: UUID) -> dict[str, object]:
    with unit_of_work() as session:
        run = repository.get_run(session, str(run_id))
        counts = repository.count_trials(session, [run.id])[run.id]
        progress = run_progress(session, run, counts, run.trials)
        return {"status": run.status, "progress": progress.model_dump(mode="json")}
