"""The dispatcher handles the requests of bench hosts, and drops everything else."""

import base64
import json
import threading
from typing import cast
from uuid import UUID

import pytest
from sqlalchemy import update

from backend.core.db import unit_of_work
from backend.core.models import Run
from backend.core.queue import (
    REQUESTS,
    get_redis,
    load_queue,
    try_wake_up_finalizer,
    wake_up_dispatcher,
)
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.service import TrialClaim
from backend.tests.factories import HOST, add_host, ask_run, claim_next
from worker.dispatcher.app import RequestReader
from worker.remote.messages import LoadPart
from worker.tests.acceptance.remains import is_true_within

pytestmark = pytest.mark.usefixtures("database")

LOAD_HOSTS = ["load-1", "load-2"]
READER = RequestReader(lambda: None, lambda: None)


@pytest.fixture
def claim() -> TrialClaim:
    """Return the claim of a trial with two load hosts."""
    with unit_of_work() as session:
        host = add_host(session)
        run_id = ask_run(session).id
        session.execute(update(Run).where(Run.id == run_id).values(load_hosts=LOAD_HOSTS))
        return TrialClaim.of(claim_next(session, host.id))


@pytest.fixture(autouse=True)
def _empty_queues() -> None:
    get_redis().delete(*map(load_queue, LOAD_HOSTS))


def read_requests(queue: str) -> list[LoadPart]:
    """Return the requests that wait for a load host."""
    found = []
    for message in cast("list[bytes]", get_redis().lrange(load_queue(queue), 0, -1)):
        arguments, _, _ = json.loads(base64.b64decode(json.loads(message)["body"]))
        found.append(LoadPart.model_validate(arguments[0]))
    return found


def test_each_load_host_of_a_running_trial_gets_its_part(claim: TrialClaim) -> None:
    READER.handle(f"load {claim.trial_id}".encode())

    parts = [part for queue in LOAD_HOSTS for part in read_requests(queue)]
    assert [(part.segment_index, part.segment_count) for part in parts] == [(0, 2), (1, 2)]
    assert {part.service_host for part in parts} == {HOST}
    assert {part.load_id for part in parts} == {f"{claim.trial_id}.1"}


def test_load_is_requested_only_while_the_trial_runs(claim: TrialClaim) -> None:
    with unit_of_work() as session:
        trials.give_back(session, claim)

    READER.handle(f"load {claim.trial_id}".encode())
    READER.handle(f"load {UUID(int=1)}".encode())

    assert [read_requests(queue) for queue in LOAD_HOSTS] == [[], []]


def test_only_requests_are_handled() -> None:
    woken, delivered = threading.Event(), threading.Event()
    # A message of Celery whose callback sends load from another host.
    callback = {"task": "load.send", "args": [{}], "options": {"queue": load_queue("load-1")}}
    body = base64.b64encode(json.dumps([[], {}, {"callbacks": [callback]}]).encode()).decode()
    message = json.dumps({"body": body, "headers": {"task": "run.finalize", "id": "1"}})
    others: list[str | bytes] = [
        message,
        "{",
        "",
        b"\xff\xfe",
        "load",
        "load x",
        "load " * 1000,
        "finalizer",
    ]
    reader = RequestReader(woken.set, delivered.set)
    reader.start()
    try:
        get_redis().lpush(REQUESTS, *others)
        assert is_true_within(10, lambda: get_redis().llen(REQUESTS) == 0)
        assert not woken.is_set()
        assert try_wake_up_finalizer()
        assert woken.wait(10)
        assert not delivered.is_set()
        wake_up_dispatcher()
        assert delivered.wait(10)
    finally:
        reader.stop()
    assert [read_requests(queue) for queue in LOAD_HOSTS] == [[], []]
