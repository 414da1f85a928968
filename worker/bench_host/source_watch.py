"""Registers the sources of this bench host again when its files have changed.

Contributors edit services while the worker runs. A run is planned only on hosts that have exactly
the requested files, so the database must know them.
"""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from backend.core.catalog.registration import read_sources, register_sources
from backend.core.catalog.sources import IGNORED
from backend.core.db import unit_of_work
from backend.core.errors import TachoError
from worker.bench.bench import Bench, list_unavailable

_log = logging.getLogger(__name__)

_FileState = tuple[str, int, int]


class SourceWatch:
    """Compares names, sizes and times of the files, so that a check without a change is cheap.

    Safe to use from several threads.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._registered = _read_states(bench.services_dir)
        self._resting = threading.Lock()

    @contextmanager
    def rest(self) -> Iterator[None]:
        """Let checks do nothing, because they would take CPU time from a trial."""
        with self._resting:
            yield

    def check(self) -> bool:
        """Register the sources if files have changed; return whether they were registered.

        A catalogue that is wrong is logged and not registered. Raises SQLAlchemyError.
        """
        if not self._resting.acquire(blocking=False):
            return False
        try:
            states = _read_states(self._bench.services_dir)
            if states == self._registered:
                return False
            self._registered = states
            self._register()
        except (TachoError, OSError) as error:
            _log.warning("the changed services are not registered: %s", error)
            return False
        except Exception:
            # The database did not answer: the next check registers them.
            self._registered = []
            raise
        finally:
            self._resting.release()
        _log.info("the services have changed and are registered again")
        return True

    def _register(self) -> None:
        catalogue = self._bench.read_catalogue()
        sources = read_sources(catalogue)
        unavailable = list_unavailable(self._bench.runtime, catalogue)
        with unit_of_work() as session:
            register_sources(session, self._bench.host_id, sources, unavailable)


def _read_states(folder: Path) -> list[_FileState]:
    """Return name, size in bytes and time of change (ns) of each file, ordered by name."""
    states: list[_FileState] = []
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - IGNORED)
        for name in sorted(names):
            path = Path(root, name)
            # An editor may have replaced the file just now.
            with suppress(FileNotFoundError):
                state = path.stat()
                states.append((str(path), state.st_size, state.st_mtime_ns))
    return states
