"""While an installation is drained, no worker claims a trial, and running trials may end."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from uuid import UUID

import pytest

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.service import TrialClaim
from backend.core.statuses import TrialStatus
from backend.platform.errors import PlatformError
from backend.platform.processes.drain import draining
from backend.tests.factories import add_host, ask_run, claim_next
from backend.tests.waiting import wait_for_blocked

LIMIT_S = 60


@pytest.fixture
def host_id(database: Settings) -> UUID:
    """A host with two queued trials."""
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session, count=2)
        return host.id


def is_draining() -> bool:
    with unit_of_work() as session:
        return repository.is_draining(session)


def test_no_trial_is_claimed_within_the_context(host_id: UUID, database: Settings) -> None:
    said: list[str] = []
    assert not is_draining()
    with draining(database.database_url, LIMIT_S, said.append):
        assert is_draining()
    # The server may notice a moment later that the connection was closed.
    deadline = time.monotonic() + LIMIT_S
    while is_draining():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert said == []


def test_a_running_trial_is_awaited(host_id: UUID, database: Settings) -> None:
    said: list[str] = []
    has_drained, is_over = Event(), Event()

    def drain() -> None:
        with draining(database.database_url, LIMIT_S, said.append):
            has_drained.set()
            is_over.wait(LIMIT_S)

    with unit_of_work() as session:
        trial = claim_next(session, host_id)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(drain)
        while not said:
            assert not has_drained.wait(0.05)
        with unit_of_work() as session:
            trials.end_trial(session, TrialClaim.of(trial), TrialStatus.SUCCEEDED, stage_seconds={})
        assert has_drained.wait(LIMIT_S)
        is_over.set()
        done.result(LIMIT_S)

    assert said == [f"Waiting until running trials have ended: 1, at most {LIMIT_S} s."]


def test_a_trial_that_does_not_end_in_time_is_reported(host_id: UUID, database: Settings) -> None:
    said: list[str] = []
    with unit_of_work() as session:
        claim_next(session, host_id)

    with draining(database.database_url, 0, said.append):
        assert is_draining()

    assert said == ["1 trial has not ended. A worker repeats what it could not end."]


def test_a_claim_that_has_begun_is_awaited(host_id: UUID, database: Settings) -> None:
    has_drained = Event()

    def drain() -> None:
        with draining(database.database_url, 0, lambda _: None):
            has_drained.set()

    with ThreadPoolExecutor(1) as pool:
        with unit_of_work() as session:
            assert not repository.is_draining(session)
            done = pool.submit(drain)
            wait_for_blocked(session, LIMIT_S)
            assert not has_drained.is_set()
        done.result(LIMIT_S)
    assert has_drained.is_set()


def test_a_process_that_drains_already_is_awaited(host_id: UUID, database: Settings) -> None:
    said: list[str] = []
    has_drained = Event()

    def drain() -> None:
        with draining(database.database_url, 0, said.append, LIMIT_S):
            has_drained.set()

    with ThreadPoolExecutor(1) as pool:
        with draining(database.database_url, 0, lambda _: None):
            done = pool.submit(drain)
            while not said:
                assert not has_drained.wait(0.05)
        done.result(LIMIT_S)

    waits = f"Waiting until a scheduled backup or another upgrade has ended, at most {LIMIT_S} s."
    assert said == [waits]


def test_a_process_that_does_not_stop_draining_is_reported(
    host_id: UUID, database: Settings
) -> None:
    with (
        draining(database.database_url, 0, lambda _: None),
        pytest.raises(PlatformError, match=r"did not end within 1 s\. .* or stop it"),
        draining(database.database_url, 0, lambda _: None, 1),
    ):
        pytest.fail("two processes drained")


def test_a_database_that_does_not_answer_is_named() -> None:
    nowhere = "postgresql+psycopg://tacho@127.0.0.1:1/tacho"
    with (
        pytest.raises(PlatformError, match="does not answer"),
        draining(nowhere, 0, lambda _: None),
    ):
        pytest.fail("nothing was drained")
