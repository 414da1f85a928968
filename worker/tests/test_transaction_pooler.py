"""Hosts and dispatcher work through a pooler that gives each transaction any connection."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, select

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Run, Trial
from backend.core.statuses import TrialStatus
from backend.platform.network import find_free_port
from backend.tests.factories import add_host, ask_run, succeed_next
from backend.tests.installation import forget_cached
from tools.benchmarks.socket_forwarder import SocketForwarder
from worker.bench_host.host_lease import WorkerLease
from worker.bench_host.taker import HostSignals, TrialTaker
from worker.dispatcher.app import PERIODIC_TASKS, run_task
from worker.runtime.process import ProcessRuntime
from worker.tests.acceptance.remains import is_true_within
from worker.tests.stages.contexts import make_bench

# CI installs it.
pytestmark = pytest.mark.skipif(
    shutil.which("pgbouncer") is None and "CI" not in os.environ,
    reason="pgbouncer is not installed",
)
_HOSTS = [f"bench-{number:02}" for number in range(8)]
_TRIALS = 3
# Far fewer than the hosts use at the same time.
_CONNECTIONS = 2
_CONFIGURATION = """
[databases]
tacho = host=127.0.0.1 port={port} dbname={database} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
ignore_startup_parameters = options,extra_float_digits
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the pooler can read: it does not run as root."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def forwarder(database: Settings) -> Iterator[SocketForwarder]:
    """A TCP address of PostgreSQL, whose socket only root can open."""
    url = make_url(database.database_url)
    with SocketForwarder(Path(str(url.query["host"]), f".s.PGSQL.{url.port or 5432}")) as running:
        yield running


@pytest.fixture
def pooled(
    database: Settings,
    open_folder: Path,
    forwarder: SocketForwarder,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Settings]:
    """The settings of an installation whose processes use a pooler of transactions."""
    url, listen_port = make_url(database.database_url), find_free_port()
    configuration = open_folder / "pgbouncer.ini"
    configuration.write_text(
        _CONFIGURATION.format(
            port=forwarder.port,
            database=url.database,
            user=url.username,
            listen_port=listen_port,
            connections=_CONNECTIONS,
        )
    )
    command = ["pgbouncer", str(configuration)]
    if os.getuid() == 0:
        command[1:1] = ["-u", "nobody"]
    pooler = subprocess.Popen(command, cwd="/", stderr=subprocess.DEVNULL)
    pooled_url = f"postgresql://anybody@127.0.0.1:{listen_port}/tacho"

    def answers() -> bool:
        try:
            psycopg.connect(pooled_url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    try:
        assert is_true_within(30, answers)
        monkeypatch.setenv("DATABASE_URL", pooled_url)
        forget_cached()
        yield database
    finally:
        monkeypatch.undo()
        forget_cached()
        pooler.kill()
        pooler.wait()


@pytest.mark.usefixtures("pooled")
def test_many_hosts_share_few_connections(tmp_path: Path) -> None:
    runtime = ProcessRuntime(tmp_path / "k6", tmp_path, {})
    with unit_of_work() as session:
        host_ids = [add_host(session, name).id for name in _HOSTS]
        for name in _HOSTS:
            ask_run(session, host=name, count=_TRIALS)

    def work(number: int) -> int:
        name = _HOSTS[number]
        # As hosts that joined, they do not wait for a dispatcher.
        bench = replace(
            make_bench(runtime), host_id=host_ids[number], queue=name, name=name, is_joined=True
        )
        lease = WorkerLease(name, tmp_path)
        assert lease.keep()
        taker = TrialTaker(
            bench, lease, lambda: False, HostSignals("", name).listen, lambda _: None
        )
        try:
            return sum(iter(taker.run_next, False))
        finally:
            lease.release()

    with ThreadPoolExecutor(len(_HOSTS)) as pool:
        assert list(pool.map(work, range(len(_HOSTS)))) == [_TRIALS] * len(_HOSTS)

    with unit_of_work() as session:
        trials = session.scalars(select(Trial)).all()
    assert [(trial.status, trial.attempt) for trial in trials] == [
        (TrialStatus.SUCCEEDED, 1)
    ] * len(_HOSTS) * _TRIALS


@pytest.mark.usefixtures("pooled")
def test_the_dispatcher_does_its_work() -> None:
    with unit_of_work() as session:
        host_id = add_host(session).id
        run_id = ask_run(session).id
        succeed_next(session, host_id)

    for task in PERIODIC_TASKS:
        run_task(task)

    with unit_of_work() as session:
        assert session.get_one(Run, run_id).finalized_at is not None
