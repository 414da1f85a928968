"""The short periodic tasks of the dispatcher. `worker.dispatcher.app` lists all of them."""

import logging
import time
from datetime import UTC, datetime, timedelta

import redis
from sqlalchemy.exc import OperationalError

from backend.addresses import add_addresses
from backend.core.catalog.registration import merge_catalogue as merge_sources
from backend.core.changes.finalization.service import finalize_runs
from backend.core.changes.webhooks import delivery
from backend.core.changes.webhooks import repository as webhooks
from backend.core.config import get_settings
from backend.core.db import is_lock_timeout, unit_of_work
from backend.core.measurement.measurements.partitions import create_coming_partitions
from backend.core.operations.bench_hosts.credentials import synchronize
from backend.core.operations.bench_hosts.repository import end_long_transactions
from backend.core.operations.host_lifecycle.service import revoke_leaving_hosts
from backend.core.people.audit import repository as audit
from backend.core.queue import try_wake_up_worker
from backend.core.results.cell_charts import write_missing_charts
from backend.core.results.goals.service import continue_runs
from backend.core.results.guard import requests
from backend.core.results.run_results.answer.stored import write_missing_outcomes
from backend.core.runs.queue.database_disk import find_trial_shortage, report_shortage
from backend.core.runs.trials import repository as trials
from backend.core.runs.trials.service import continue_cancellations
from worker.monitoring import FINALIZATIONS_FAILED, RUNS_FINALIZED

_log = logging.getLogger(__name__)
_AT_ONCE_SECONDS = 0.01
# Another dispatcher needs some time for a run.
_LATER_SECONDS = 0.5
# After this time other tasks get their turn.
_TURN_SECONDS = 30.0
_BATCH_CELLS = 10
_BATCH_RUNS = 5
_DELIVERIES_KEPT = timedelta(days=30)
# Workers need some seconds, and up to 60 s while the network fails.
_LONGEST_TRANSACTION_S = 120


def judge_and_finalize() -> float | None:
    """Go on with cancellations, judge the runs with a goal, and finalize the ended runs.

    Workers wake the thread up when the trials of a run have ended. Without a message, for example
    while Redis does not answer, it looks for such runs every few seconds.

    Returns the seconds until the next call, or None if nothing is left.
    """
    with unit_of_work() as session:
        has_cancelled = continue_cancellations(session)
    continue_runs()
    counts = finalize_runs()
    RUNS_FINALIZED.inc(counts.finalized)
    FINALIZATIONS_FAILED.inc(counts.failed)
    if has_cancelled:
        # There may be more, after the runs that have ended meanwhile.
        return _AT_ONCE_SECONDS
    return _LATER_SECONDS if counts.left else None


def end_guards() -> float | None:
    """Store the verdicts of bench hosts, and end the guards that have none.

    Returns the seconds until the next call, or None if nothing is left.
    """
    with unit_of_work() as session:
        return _AT_ONCE_SECONDS if requests.end_guards(session) else None


def tidy_audit() -> None:
    """Delete the entries of the audit log that are older than TACHO_AUDIT_DAYS allows."""
    days = get_settings().audit_days
    if days == 0:
        return
    with unit_of_work() as session:
        deleted = audit.delete_old(session, timedelta(days=days))
    if deleted:
        _log.info("%d entries of the audit log older than %d days deleted", deleted, days)


def merge_catalogue() -> None:
    """Bring the catalogue in line with the sources that hosts have registered.

    It is periodic, because a host writes only its own rows.
    """
    with unit_of_work() as session:
        merge_sources(session)


def store_missing_charts() -> None:
    """Store charts and outcomes of runs that an older Tacho finalized, in small transactions.

    Outcomes come first, because lists show them.
    """
    turn_ends = time.monotonic() + _TURN_SECONDS
    while time.monotonic() < turn_ends:
        with unit_of_work() as session:
            stored = write_missing_outcomes(session, _BATCH_RUNS)
            stored = stored or write_missing_charts(session, _BATCH_CELLS)
        if not stored:
            break


def synchronize_credentials() -> None:
    """Revoke hosts that leave, create users that Redis has lost, and drop revoked users.

    Transactions of hosts that take too long are ended, because they keep their locks until then.
    """
    with unit_of_work() as session:
        left = revoke_leaving_hosts(session)
    if left:
        _log.info("bench hosts left after their last trials: %s", ", ".join(left))
    with unit_of_work() as session:
        ended = end_long_transactions(session, _LONGEST_TRANSACTION_S)
    if ended:
        _log.warning(
            "connections of bench hosts were ended after %d s in a transaction: %d",
            _LONGEST_TRANSACTION_S,
            ended,
        )
    try:
        with unit_of_work() as session:
            synchronize(session)
    except redis.RedisError as error:
        _log.warning("Redis did not update the users of bench hosts: %s", error)


def prepare_partitions() -> None:
    """Create the partitions of the coming months; a table in use is tried again the next time."""
    try:
        with unit_of_work() as session:
            created = create_coming_partitions(session, datetime.now(UTC).date())
    except OperationalError as error:
        if not is_lock_timeout(error):
            raise
        _log.info("a partition for seconds is created later, because the table is in use")
        return
    for month in created:
        _log.info("partition for the seconds of %s created", month.strftime("%B %Y"))


def notify_hosts() -> None:
    """Notify hosts for which trials wait, unless the database lacks space for them.

    It is periodic, in case a message was lost. `worker.dispatcher.recovery` queues the trials of
    lost workers again.
    """
    shortage = find_trial_shortage(get_settings())
    if shortage:
        _log.warning("no host starts a trial: %s", shortage)
    with unit_of_work() as session:
        report_shortage(session, shortage)
        waiting = trials.list_waiting_queues(session)
    for queue in waiting:
        try_wake_up_worker(queue)


def deliver_webhooks() -> None:
    """Send due messages one after another. Several dispatchers may run this at the same time.

    A new wake-up message follows within seconds.
    """
    turn_ends = time.monotonic() + _TURN_SECONDS
    while time.monotonic() < turn_ends and delivery.attempt(add_addresses):
        pass


def tidy_deliveries() -> None:
    """Delete deliveries of webhooks that ended long ago."""
    with unit_of_work() as session:
        forgotten = webhooks.delete_old(session, _DELIVERIES_KEPT)
    if forgotten:
        _log.info("%d old deliveries deleted", forgotten)
