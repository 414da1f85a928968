"""The heartbeat of a bench host, also while one of its disks lacks space."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from sqlalchemy.exc import OperationalError

from backend.core.catalog.repository import get_host
from backend.core.config import ROOT, Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.units import HostFolder
from backend.platform.healthcheck import has_heartbeat
from backend.tests.factories import HOST, add_host
from worker.bench.bench import Bench
from worker.bench_host.heartbeat import HEARTBEAT_FILE, Heartbeat
from worker.runtime.process import ProcessRuntime
from worker.tests.stages.contexts import make_bench

# More than any disk has.
EVERYTHING_MB = str(10**9)


@pytest.fixture
def bench(database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A bench host whose disk has enough space."""
    monkeypatch.setenv("TACHO_DATA", str(tmp_path))
    monkeypatch.setenv("TACHO_BENCH_HOST", HOST)
    monkeypatch.setenv("TACHO_HOST_FREE_MB", "1")
    get_settings.cache_clear()
    with unit_of_work() as session:
        host_id = add_host(session).id
    runtime = ProcessRuntime(tmp_path / "k6", tmp_path, {})
    yield replace(make_bench(runtime), host_id=host_id, folders={HostFolder.DATA: tmp_path})
    monkeypatch.undo()
    get_settings.cache_clear()


def set_limit(monkeypatch: pytest.MonkeyPatch, least_mb: str) -> None:
    monkeypatch.setenv("TACHO_HOST_FREE_MB", least_mb)
    get_settings.cache_clear()


def read_shortage() -> str:
    with unit_of_work() as session:
        return get_host(session, HOST).disk_shortage


def test_cleaning_begins_once_for_each_shortage(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_at_cleaning: list[str] = []
    heartbeat = Heartbeat(bench, lambda: stored_at_cleaning.append(read_shortage()))
    assert heartbeat.beat()
    assert (read_shortage(), stored_at_cleaning) == ("", [])

    set_limit(monkeypatch, EVERYTHING_MB)
    heartbeat.beat()
    heartbeat.beat()

    # Cleaning waits for trials that this host may take, so the shortage is stored before.
    assert stored_at_cleaning == [read_shortage()]
    assert "TACHO_HOST_FREE_MB" in read_shortage()

    set_limit(monkeypatch, "1")
    heartbeat.beat()
    assert read_shortage() == ""
    set_limit(monkeypatch, EVERYTHING_MB)
    heartbeat.beat()
    assert len(stored_at_cleaning) == 2


def test_the_health_check_of_a_container_sees_heartbeats(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / HEARTBEAT_FILE
    assert not has_heartbeat(str(file))

    Heartbeat(bench, lambda: None).beat()

    assert has_heartbeat(str(file))
    services = yaml.safe_load((ROOT / "docker-compose.worker.yml").read_text())["services"]
    # TACHO_DATA of the image is the volume at /data.
    assert services["worker"]["healthcheck"]["test"][-2:] == [
        "--heartbeat",
        f"/data/{HEARTBEAT_FILE}",
    ]


def test_a_heartbeat_that_the_database_does_not_store_does_not_count(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("UPDATE", {}, Exception("the server closed the connection"))

    monkeypatch.setattr("worker.bench_host.heartbeat.touch_host", fail)
    heartbeat = Heartbeat(bench, lambda: None)

    assert [heartbeat.beat(), heartbeat.beat()] == [False, False]

    assert not has_heartbeat(str(tmp_path / HEARTBEAT_FILE))
    assert caplog.text.count("heartbeat missed") == 1


def test_a_heartbeat_has_the_free_space_of_all_disks(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = {HostFolder.DATA: tmp_path, HostFolder.ENGINE: Path("/")}
    set_limit(monkeypatch, EVERYTHING_MB)

    assert Heartbeat(replace(bench, folders=folders), lambda: None).beat()

    with unit_of_work() as session:
        disks = get_host(session, HOST).disks
    assert [disk["name"] for disk in disks] == [HostFolder.DATA, HostFolder.ENGINE]
    for disk in disks:
        assert 0 < disk["free_bytes"] <= disk["size_bytes"]
        assert disk["needed_bytes"] == int(EVERYTHING_MB) * 1024**2
