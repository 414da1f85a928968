"""The resources that the requests of one API process share."""

import resource
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi.concurrency import run_in_threadpool

from backend.api.http.protocol import MOST_CONNECTIONS
from backend.api.process.computations import Computations
from backend.api.process.database import RequestDatabase
from backend.api.process.gates import Gate, Pace
from backend.api.process.late_writer import LateWriter
from backend.api.process.rates import KnownSenders, RateLimits, StreamLimit
from backend.api.process.relay import Relay
from backend.core.config import get_settings
from backend.core.people.access.use import Use, note_uses


def make_use_writer(database: RequestDatabase) -> LateWriter[Use]:
    """Return what stores uses in the background. If that fails, the next use is stored."""

    async def write(uses: Mapping[Hashable, Use]) -> None:
        async with database.open_session(read_only=False) as session:
            await run_in_threadpool(note_uses, session, uses.values())

    return LateWriter(write, "uses of sessions and tokens")


# Python runs one thread at a time. If a second thread computed, short requests would wait longer.
_READING = 1
_WAIT_SECONDS = 5.0
# Each export holds a piece of about 500 kB, and another in the buffers of its connection.
_EXPORTS = 8
# Between the starts of two large answers.
_PACE_SECONDS = 0.002
# Connections to PostgreSQL and Redis, files of the interface.
_OTHER_FILES = 512


@dataclass(frozen=True)
class AppResources:
    """Connections and turns.

    Attributes:
        computations: compute the responses to GET requests.
        reading: turns of requests that compute for tens of milliseconds, such as a whole run, or
            the next piece of an export.
        analysing: turns of requests that compute for seconds.
        exporting: exports under way. Most of them wait for their clients.
        delivering: times at which large answers may start.
        sending: turns of requests that call servers of third parties.
        receiving: turns of requests with large bodies, which are in memory.
        signing_in: turns of requests that check a password, which takes CPU time and memory.
        rates: the requests and failed sign-ins of each caller.
        senders: whose requests count together.
        uses: stores when sessions and access tokens were last used.
        streams: the open event streams of each caller.
    """

    database: RequestDatabase
    relay: Relay
    computations: Computations
    reading: Gate
    analysing: Gate
    exporting: Gate
    delivering: Pace
    sending: Gate
    receiving: Gate
    signing_in: Gate
    rates: RateLimits
    streams: StreamLimit
    uses: LateWriter[Use]
    senders: KnownSenders = field(default_factory=KnownSenders)


@asynccontextmanager
async def open_resources(
    open_relay: Callable[[RequestDatabase], Relay],
) -> AsyncIterator[AppResources]:
    """Open the resources of this process, and close them at the end."""
    _allow_connections()
    settings = get_settings()
    database = RequestDatabase()
    rates = RateLimits(settings.redis_url, settings.limit_requests)
    uses = make_use_writer(database)
    try:
        yield AppResources(
            database=database,
            relay=open_relay(database),
            computations=Computations(database),
            reading=Gate(
                _READING, _WAIT_SECONDS, "large requests", rests=True, computing=database.computing
            ),
            analysing=Gate(1, _WAIT_SECONDS, "analyses", computing=database.computing),
            exporting=Gate(_EXPORTS, _WAIT_SECONDS, "exports"),
            delivering=Pace(_PACE_SECONDS),
            sending=Gate(4, _WAIT_SECONDS, "test deliveries"),
            receiving=Gate(4, _WAIT_SECONDS, "uploads"),
            signing_in=Gate(2, _WAIT_SECONDS, "sign-ins"),
            rates=rates,
            streams=StreamLimit(settings.limit_streams),
            uses=uses,
        )
    finally:
        await uses.close()
        await rates.close()
        await database.close()


def _allow_connections() -> None:
    """Raise the limit of open files to what the connections need, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
