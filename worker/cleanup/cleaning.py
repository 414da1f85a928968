"""Finds what a bench host can remove, and removes it while no trial runs."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.catalog.folders import Catalogue
from backend.core.changes.comparable_builds import list_comparable_builds
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.documents import Builds
from backend.core.errors import TachoError
from backend.core.runs.repository import list_requested_builds
from backend.core.runs.trials.repository import list_waiting_queues
from backend.core.schema import check_schema
from worker.bench.bench import Bench
from worker.bench.reservation import HostsBusy, TrialReservation
from worker.cleanup.decisions import CleanupDecision, KeepLimits, decide
from worker.cleanup.shortages import find_shortages
from worker.loadgen.stored import list_load_generators
from worker.monitoring import CLEANUP_FREED_BYTES, CLEANUP_REMOVED, STORED_BYTES
from worker.runtime.errors import RuntimeFailure
from worker.runtime.stored import StoredKind, name_build
from worker.stages.build import list_programs
from worker.transactions import PeriodicThread

_log = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS = 300.0
_PAUSE_SECONDS = 6 * 3600.0
# While trials run or wait.
_BUSY_PAUSE_SECONDS = 60.0
# While a disk lacks space. Items that were used in the last day may be removed later.
_SHORT_PAUSE_SECONDS = 600.0


def survey(bench: Bench) -> list[CleanupDecision]:
    """Return a decision about each stored item of this host, the least recently used first.

    Raises:
        ManifestInvalid: the catalogue is wrong.
        RuntimeFailure: the container engine does not answer.
        SchemaMismatch: the database has the schema of another version.
        SQLAlchemyError
    """
    settings = get_settings()
    items = [*bench.runtime.list_stored(), *list_load_generators(settings.data)]
    with unit_of_work() as session:
        # Another version of the schema may need more than this version knows.
        check_schema(session)
        needs = _find_needs(session, bench)
    return decide(
        items,
        needs,
        KeepLimits(settings.keep_days, settings.keep_gb),
        datetime.now(UTC),
        find_shortages(bench.folders, settings.host_free_mb),
    )


def _find_needs(session: Session, bench: Bench) -> dict[str, str]:
    """Return why builds and base images are needed, by `StoredItem.build_name` or `name`.

    Raises:
        ManifestInvalid: the catalogue is wrong, so it is not known what it needs.
        RuntimeUnavailable: the file of the resolved base images is damaged.
    """
    catalogue = bench.read_catalogue()
    comparable = list_comparable_builds(session, bench.host_id, catalogue.frameworks)
    requested = list_requested_builds(session, bench.host_id)
    return {
        **dict.fromkeys(_name_all(comparable), "a confirmation run may need it"),
        **dict.fromkeys(_name_all(requested), "an unfinished run needs it"),
        **dict.fromkeys(_list_current(bench, catalogue), "the catalogue needs it"),
    }


def _name_all(found: Iterable[Builds]) -> list[str]:
    return [name_build(slug, digest) for builds in found for slug, digest in builds.items()]


def _list_current(bench: Bench, catalogue: Catalogue) -> list[str]:
    """Return the builds and base images of the files that this host has now."""
    builds = [
        name_build(program.slug, bench.digest_as_pinned(program.source, program.recipe.docker))
        for program in list_programs(catalogue)
    ]
    bases = bench.bases.list_built(catalogue.list_bases()) if bench.bases else []
    return [*builds, *bases]


@contextmanager
def reserved_host() -> Iterator[None]:
    """Let no trial begin on this host, nor a load that this host sends; raise HostsBusy."""
    # Unlike the worker's own id, so that a trial of this worker waits too.
    reservation = TrialReservation(uuid4())
    try:
        with unit_of_work() as session:
            reservation.take(session, [get_settings().bench_host])
        yield
    finally:
        reservation.release()


def remove(
    decisions: Sequence[CleanupDecision], must_stop: Callable[[], bool] = lambda: False
) -> list[CleanupDecision]:
    """Remove items, log what was freed, and return the decisions that were carried out.

    An item that cannot be removed is logged and stays.

    Args:
        must_stop: asked before each item whether the rest waits.
    """
    removed: list[CleanupDecision] = []
    for decision in decisions:
        if not decision.is_removed:
            continue
        if must_stop():
            break
        item = decision.item
        try:
            item.remove()
        except (RuntimeFailure, OSError) as error:
            _log.warning("the %s %s was not removed: %s", item.kind, item.name, error)
            continue
        removed.append(decision)
        CLEANUP_REMOVED.labels(item.kind).inc()
        CLEANUP_FREED_BYTES.labels(item.kind).inc(item.size_bytes)
        _log.info("removed the %s %s: %s", item.kind, item.name, decision.reason)
    kept = [decision.item for decision in decisions if decision not in removed]
    for kind in StoredKind:
        STORED_BYTES.labels(kind).set(sum(item.size_bytes for item in kept if item.kind is kind))
    _log.info(
        "cleanup removed_items=%d freed_bytes=%d kept_items=%d kept_bytes=%d",
        len(removed),
        sum(decision.item.size_bytes for decision in removed),
        len(kept),
        sum(item.size_bytes for item in kept),
    )
    return removed


def clean_if_idle(bench: Bench) -> bool:
    """Remove what is not needed; return False if a trial runs or waits, so that some may be left.

    A trial that is queued meanwhile begins after the item that is being removed.
    """
    if _has_waiting_trial():
        return False
    try:
        with reserved_host():
            remove(survey(bench), _has_waiting_trial)
    except HostsBusy:
        return False
    return not _has_waiting_trial()


def make_cleaner(bench: Bench) -> PeriodicThread:
    """Return the thread that cleans this host from time to time, and when it is woken up."""
    return PeriodicThread("cleanup", partial(_clean_once, bench), _FIRST_PAUSE_SECONDS)


def _clean_once(bench: Bench) -> float:
    """Clean this host if it is idle, and return the seconds until the next cleaning."""
    try:
        if not clean_if_idle(bench):
            return _BUSY_PAUSE_SECONDS
        if bench.find_disk_shortage():
            return _SHORT_PAUSE_SECONDS
    except (TachoError, SQLAlchemyError, OSError) as error:
        _log.warning("this host was not cleaned: %s", error)
    return _PAUSE_SECONDS


def _has_waiting_trial() -> bool:
    """Return whether this host may take a trial. A host with a full disk takes none."""
    with unit_of_work() as session:
        return get_settings().bench_host in list_waiting_queues(session)
