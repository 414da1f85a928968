"""Only a single worker serves a bench host: a second worker waits, and a lost lease is noticed."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.errors import Conflict
from backend.core.models import HostLease
from backend.tests.waiting import LIMIT_S
from worker.bench_host import holder, host_lease
from worker.bench_host.host_lease import WorkerLease
from worker.tests.acceptance.remains import is_true_within

pytestmark = pytest.mark.usefixtures("database")
# A worker that holds the lease of `bench-01`, until it is killed.
PROGRAM = """\
import sys, time
from pathlib import Path
from worker.bench_host.host_lease import WorkerLease
from backend.tests.waiting import LIMIT_S

lease = WorkerLease("bench-01", Path(sys.argv[1]))
assert lease.wait()
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def make_lease(tmp_path: Path) -> Iterator[Callable[[str], WorkerLease]]:
    """A function that returns the lease of a worker of `bench-01` with this data folder."""
    made: list[WorkerLease] = []

    def make(folder: str) -> WorkerLease:
        made.append(WorkerLease("bench-01", tmp_path / folder))
        return made[-1]

    yield make
    for lease in made:
        lease.release()


@pytest.fixture
def leases(make_lease: Callable[[str], WorkerLease]) -> tuple[WorkerLease, WorkerLease]:
    """The leases of two workers with the same host name on two machines."""
    return make_lease("one"), make_lease("two")


def move_end(seconds: float) -> None:
    """Let the lease end this long after now."""
    with unit_of_work() as session:
        end = func.now() + timedelta(seconds=seconds)
        session.execute(update(HostLease).values(lease_until=end))


def read_seconds_left() -> float:
    with unit_of_work() as session:
        end, now = session.execute(select(HostLease.lease_until, func.clock_timestamp())).one()
    return float((end - now).total_seconds())


def may_claim(lease: WorkerLease) -> bool:
    with unit_of_work() as session:
        try:
            lease.check(session)
        except Conflict:
            return False
    return True


def test_only_the_holder_may_claim(leases: tuple[WorkerLease, WorkerLease], tmp_path: Path) -> None:
    first, second = leases

    assert first.keep()
    assert not second.keep()

    assert may_claim(first)
    assert not may_claim(second)
    # Workers of several hosts may share a data folder.
    other = WorkerLease("bench-02", tmp_path / "one")
    assert other.keep()
    assert may_claim(other)
    other.release()

    # A worker that is stopped ends its wait. A worker that has stopped leaves no lease.
    assert not second.wait(lambda: True)
    first.release()
    with unit_of_work() as session:
        assert session.scalars(select(HostLease)).all() == []
    assert second.keep()


def test_a_lease_ends_without_renewal_and_the_former_holder_cannot_claim(
    leases: tuple[WorkerLease, WorkerLease],
) -> None:
    first, second = leases
    assert first.keep()
    assert 0 < read_seconds_left() <= 30
    move_end(-1)
    # As long as no other worker has taken it, it can be renewed.
    assert may_claim(first)
    assert first.keep()
    move_end(-1)

    assert second.keep()

    assert not first.keep()
    assert not may_claim(first)
    assert may_claim(second)


def test_a_thread_renews_the_lease(
    leases: tuple[WorkerLease, WorkerLease], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_lease, "_RENEW_SECONDS", 0.01)
    first, _ = leases
    assert first.keep()
    first.keep_renewing()
    move_end(1)

    assert is_true_within(LIMIT_S, lambda: read_seconds_left() > 20)


def test_nobody_takes_a_lease_during_a_claim(leases: tuple[WorkerLease, WorkerLease]) -> None:
    first, second = leases
    assert first.keep()
    move_end(-1)
    with ThreadPoolExecutor(1) as pool:
        with unit_of_work() as session:
            first.check(session)
            taking = pool.submit(second.keep)
            with pytest.raises(TimeoutError):
                taking.result(timeout=0.5)
        assert taking.result(timeout=LIMIT_S)

    assert not may_claim(first)


def test_after_the_clock_was_set_back_the_holder_goes_on_and_a_lost_one_ends(
    leases: tuple[WorkerLease, WorkerLease],
) -> None:
    first, second = leases
    assert first.keep()
    move_end(3600)

    assert not second.keep()
    assert read_seconds_left() <= 30
    assert may_claim(first)
    move_end(3600)
    assert first.keep()
    assert read_seconds_left() <= 30


def test_a_killed_worker_takes_its_lease_again_at_once_and_another_one_waits(
    leases: tuple[WorkerLease, WorkerLease], tmp_path: Path
) -> None:
    folder = tmp_path / "one"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "held\n"
        first, second = leases
        # The second process of a data folder has no id.
        assert not first.keep()
        assert not second.keep()
        with pytest.raises(Conflict, match="same data folder"):
            first.check(Session())
        worker.send_signal(signal.SIGKILL)

    assert not second.keep()
    assert first.keep()
    assert may_claim(first)


def test_a_copy_of_the_data_folder_on_another_machine_is_another_holder(
    leases: tuple[WorkerLease, WorkerLease], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, copy = leases
    assert first.keep()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "boot_id").write_text("another machine")
    monkeypatch.setattr(holder, "_BOOT_ID", tmp_path / "boot_id")

    assert not copy.keep()


def test_a_damaged_file_is_replaced(
    make_lease: Callable[[str], WorkerLease], tmp_path: Path
) -> None:
    file = tmp_path / "one" / "leases" / "bench-01"
    file.parent.mkdir(parents=True)
    file.write_text("torn")
    first = make_lease("one")
    held = first.holder
    first.release()

    assert make_lease("one").holder == held


def test_after_an_outage_the_holder_renews_first(
    leases: tuple[WorkerLease, WorkerLease],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(host_lease, "_POLL_SECONDS", 0.01)
    monkeypatch.setattr(host_lease, "_GRACE_SECONDS", 1.0)
    first, second = leases
    assert first.keep()
    answers: Iterator[bool | Exception] = iter([False, OperationalError("", {}, Exception())])

    def keep(_: WorkerLease) -> bool:
        answer = next(answers, True)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(WorkerLease, "keep", keep)
    times: list[float] = []
    monkeypatch.setattr(host_lease, "_ping", lambda: times.append(time.monotonic()))
    assert second.wait()

    assert time.monotonic() - times[0] >= 1.0
    assert len(times) == 1
    assert "the host's lease is not held" in caplog.text
