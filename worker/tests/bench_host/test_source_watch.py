"""A worker registers the files of its services folder again when they change."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from backend.core.catalog import repository
from backend.core.catalog.registration import read_sources, register_sources
from backend.core.catalog.source_repository import find_registered
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import HostFramework
from backend.platform.tools import resolve_tools
from backend.tests.catalogue import write_framework, write_services
from backend.tests.factories import add_host
from backend.tests.waiting import LIMIT_S
from worker.bench.bench import Bench
from worker.bench_host.source_watch import SourceWatch
from worker.runtime.process import ProcessRuntime
from worker.tests.stages.contexts import make_bench


@pytest.fixture
def bench(database: Settings, tmp_path: Path) -> Bench:
    """A bench host with the frameworks `a` and `b`, which are registered."""
    runtime = ProcessRuntime(tmp_path / "k6", tmp_path / "data", resolve_tools())
    services = write_services(tmp_path / "services", "a", "b")
    with unit_of_work() as session:
        host = add_host(session)
        bench = replace(make_bench(runtime), host_id=host.id, services_dir=services)
        register_sources(session, host.id, read_sources(bench.read_catalogue()))
    return bench


def list_registered(bench: Bench) -> dict[str, str]:
    with unit_of_work() as session:
        host = repository.get_host(session, "bench-01")
        sources = find_registered(session, HostFramework, host.id)
        return {slug: source.digest for slug, source in sources.items()}


def test_an_edited_file_changes_the_registered_digest(bench: Bench) -> None:
    watch, before = SourceWatch(bench), list_registered(bench)
    (bench.services_dir / "frameworks/javascript/a/server.js").write_text("// edited")

    assert watch.check()

    after = list_registered(bench)
    assert after["a"] != before["a"]
    assert after["b"] == before["b"]
    assert not watch.check()


def test_files_that_builds_create_are_ignored(bench: Bench) -> None:
    watch = SourceWatch(bench)
    folder = bench.services_dir / "frameworks/javascript/a/node_modules"
    folder.mkdir()
    (folder / "index.js").write_text("built")

    assert not watch.check()


def test_nothing_is_read_while_a_trial_runs(bench: Bench) -> None:
    watch, done = SourceWatch(bench), threading.Event()
    write_framework(bench.services_dir, "c")
    checked: list[bool] = []

    def check() -> None:
        checked.append(watch.check())
        done.set()

    with watch.rest():
        threading.Thread(target=check).start()
        assert done.wait(LIMIT_S)

    assert checked == [False]
    assert watch.check()
    assert set(list_registered(bench)) == {"a", "b", "c"}


def test_a_wrong_manifest_changes_nothing(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    watch, before = SourceWatch(bench), list_registered(bench)
    path = write_framework(bench.services_dir, "c", 'licence = "MIT"\n', "")

    assert not watch.check()

    assert f"{path}: licence: is required" in caplog.text
    assert list_registered(bench) == before
