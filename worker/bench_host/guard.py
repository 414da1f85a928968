"""Runs a claimed guard in a process of its own, and stores how it ended.

The process does what `tacho guard` does, and can be ended at any moment with all that it started.
"""

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.documents import GuardFailure, JsonObject
from backend.core.errors import TachoError
from backend.core.results.guard import requests_repository as repository
from backend.core.results.guard.document import GuardOrder
from backend.core.results.guard.requests import describe_failure
from backend.core.results.guard.requests_repository import GuardClaim
from backend.core.schema import SchemaMismatch
from backend.platform.processes.guard import guard_command
from backend.platform.processes.parts import WORKER_CLEANING
from worker.guard.sources import open_scratch
from worker.pipeline.run import Listen
from worker.stages.watch import Stop, Watch
from worker.transactions import WorkerStopping, describe, get_schema_watch, run_transaction

_log = logging.getLogger(__name__)
# An interrupted guard removes its containers.
_GRACE_SECONDS = 5.0
_FAILURE = TypeAdapter(GuardFailure)


def run_guard(claim: GuardClaim, is_stopping: Callable[[], bool], listen: Listen) -> None:
    """Run a claimed guard and store its outcome; leave nothing running.

    Args:
        is_stopping: whether the worker is being stopped; the guard then goes back to the queue.
        listen: returns a context in which signals to the host wake the watch up.
    """
    try:
        with open_scratch(get_settings().data) as scratch:
            _write_inputs(claim, scratch, is_stopping)
            with (
                Watch(claim.guard_id, is_stopping, lambda: _find_stop(claim)) as watch,
                listen(watch.wake_up),
            ):
                outcome = _follow(claim, scratch, watch, is_stopping)
            _store(claim, outcome, watch.reason, is_stopping)
    except WorkerStopping as stopping:
        _log.warning("the guard will be recovered later: %s", stopping.detail)


def _write_inputs(claim: GuardClaim, scratch: Path, is_stopping: Callable[[], bool]) -> None:
    order = GuardOrder.model_validate(claim.document)
    (scratch / "order.json").write_text(order.model_dump_json(), encoding="utf-8")
    (scratch / "namespace").write_text(f"{claim.workspace_id.hex}-", encoding="utf-8")
    for what, digest in (("base", order.base_source), ("head", order.head_source)):

        def read(session: Session, digest: str = digest) -> bytes:
            return repository.read_source(session, claim.workspace_id, digest)

        (scratch / f"{what}.tar.gz").write_bytes(run_transaction(read, is_stopping))


def _follow(
    claim: GuardClaim, scratch: Path, watch: Watch, is_stopping: Callable[[], bool]
) -> JsonObject:
    """Store what the process reports, and return its outcome; empty if it has none.

    A guard that must stop goes back to the queue, where the dispatcher ends a cancelled one.
    """
    command = guard_command(
        [sys.executable, "-m", "worker.guard", str(scratch)],
        stop_signal=signal.SIGINT,
        grace_s=_GRACE_SECONDS,
        afterwards=WORKER_CLEANING,
    )
    outcome: JsonObject = {}
    progress: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    ) as process:

        def stop() -> None:
            process.send_signal(signal.SIGINT)
            # At once, because a worker that is being stopped has only seconds.
            run_transaction(lambda session: repository.give_back(session, claim), is_stopping)
            _log.info("the guard was stopped: %s", watch.reason)

        watch.on_stop(stop)
        assert process.stdout is not None
        for line in process.stdout:
            message = json.loads(line)
            if "note" in message:
                progress.append(message["note"])
            if "report" in message or "failure" in message:
                outcome = message
                continue

            def write(session: Session, doing: str = message.get("doing", "")) -> None:
                repository.report_progress(session, claim, progress, doing)

            run_transaction(write, is_stopping)
    return outcome


def _store(
    claim: GuardClaim,
    outcome: JsonObject,
    reason: Stop | None,
    is_stopping: Callable[[], bool],
) -> None:
    if reason is not None:
        return
    report, failure = outcome.get("report"), outcome.get("failure")
    if report is None:
        try:
            failure = _FAILURE.validate_python(failure)
        except ValidationError:
            failure = describe_failure(
                TachoError("The process of the guard died. The log of the bench host has more.")
            )
    run_transaction(lambda session: repository.end(session, claim, report, failure), is_stopping)


def _find_stop(claim: GuardClaim) -> Stop | None:
    """Renew the lease; return why the guard must stop. None while the database does not answer."""
    try:
        with unit_of_work() as session:
            get_schema_watch().check(session)
            is_held, is_cancelled = repository.renew_lease(session, claim)
    except SchemaMismatch:
        return Stop.UPGRADE
    except SQLAlchemyError as error:
        _log.warning("the lease of the guard was not renewed: %s", describe(error))
        return None
    if not is_held:
        return Stop.TAKEN_OVER
    return Stop.CANCELLED if is_cancelled else None
