"""Store when sessions and access tokens were last used."""

from collections.abc import Hashable, Mapping

from fastapi.concurrency import run_in_threadpool

from backend.api.process.database import RequestDatabase
from backend.api.process.late_writer import LateWriter
from backend.core.people.access.use import Use, note_uses


def make_use_writer(database: RequestDatabase) -> LateWriter[Use]:
    """Return what stores uses in the background. If that fails, the next use is stored."""

    async def write(uses: Mapping[Hashable, Use]) -> None:
        async with database.open_session(read_only=False) as session:
            await run_in_threadpool(note_uses, session, uses.values())

    return LateWriter(write, "uses of sessions and tokens")
