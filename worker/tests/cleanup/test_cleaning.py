"""A bench host removes old folders of builds, and keeps what the catalogue or a run may need."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete

from backend.core.catalog.repository import touch_host
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.errors import ManifestInvalid
from backend.core.models import Run, Trial
from backend.core.units import HostFolder
from backend.tests.catalogue import write_services
from backend.tests.factories import HOST, add_host, ask_run
from backend.tests.histories import History
from worker.bench.bench import Bench
from worker.bench.reservation import HostsBusy
from worker.cleanup import cleaning
from worker.cleanup.cleaning import clean_if_idle, make_cleaner, reserved_host, survey
from worker.loadgen.build import source_digest
from worker.runtime.process import ProcessRuntime
from worker.runtime.stored import name_build
from worker.tests.acceptance.remains import is_true_within
from worker.tests.stages.contexts import make_bench

DAY_SECONDS = 86_400
OLD, NEW = "a" * 64, "b" * 64


@pytest.fixture
def bench(database: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A bench host with the framework `node` and a data folder of its own."""
    monkeypatch.setenv("TACHO_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TACHO_BENCH_HOST", HOST)
    get_settings.cache_clear()
    runtime = ProcessRuntime(tmp_path / "k6", tmp_path / "data", {})
    services = write_services(tmp_path / "services", "node")
    with unit_of_work() as session:
        host_id = add_host(session).id
    yield replace(make_bench(runtime), host_id=host_id, services_dir=services)
    monkeypatch.undo()
    get_settings.cache_clear()


def store(folder: Path, days: float, size_bytes: int = 10, *, is_build: bool = False) -> Path:
    """Make a folder that was last used this many days ago."""
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(b"x" * size_bytes)
    used = time.time() - days * DAY_SECONDS
    if is_build:
        note = folder.with_name(f"{folder.name}.json")
        note.write_text(json.dumps({"build_seconds": 1.0, "size_bytes": size_bytes}))
        os.utime(note, (used, used))
    os.utime(folder, (used, used))
    return folder


def store_build(data: Path, slug: str, digest: str, days: float) -> Path:
    return store(data / "build/process" / name_build(slug, digest), days, is_build=True)


def find_current_digest(bench: Bench) -> str:
    manifest, source = bench.read_catalogue().get_framework("node")
    return bench.digest(source, manifest.docker)


def test_old_folders_are_removed_and_needed_ones_stay(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data = tmp_path / "data"
    current = store_build(data, "node", find_current_digest(bench), 400)
    comparable = store_build(data, "node", OLD, 400)
    recent = store_build(data, "node", NEW, 29)
    running = store(data / "build/process" / "node-cccccccccccc.build", 400)
    load_generator = store(data / "k6" / source_digest(), 400)
    kept = [current, comparable, recent, running, load_generator]
    removed = [
        store_build(data, "gone", OLD, 31),
        store(data / "build/process" / "node-dddddddddddd", 31),
        store(data / "build/process" / "node-eeeeeeeeeeee.removed", 31),
        store(data / "build/caches/node", 31),
        store(data / "k6" / "0123456789abcdef", 31),
        store(data / "k6" / "go-cache-0123456789ab", 31),
    ]
    with unit_of_work() as session:
        History(session, bench.host_id).add(10.0, {"node": OLD})
    caplog.set_level("INFO")

    assert clean_if_idle(bench)

    assert [folder for folder in kept if not folder.exists()] == []
    assert [folder for folder in removed if folder.exists()] == []
    # The folder of a running build is not listed.
    assert "cleanup removed_items=6 freed_bytes=60 kept_items=4 kept_bytes=40" in caplog.text
    assert f"removed the cache of builds {data}/build/caches/node: not used for 31" in caplog.text


def test_a_confirmation_run_that_waits_keeps_its_builds(bench: Bench, tmp_path: Path) -> None:
    kept = [store_build(tmp_path / "data", "node", digest, 400) for digest in (OLD, NEW)]
    with unit_of_work() as session:
        run = ask_run(session)
        for cell in run.cells:
            cell.builds = {"node": OLD, "other": NEW}

    reasons = {decision.item.name: decision.reason for decision in survey(bench)}

    assert reasons[str(kept[0])] == "an unfinished run needs it"
    assert reasons[str(kept[1])].startswith("not used for 400 days")


def test_nothing_is_removed_while_a_trial_waits_or_uses_the_host(
    bench: Bench, tmp_path: Path
) -> None:
    old = store_build(tmp_path / "data", "gone", OLD, 400)
    with reserved_host():
        assert not clean_if_idle(bench)
        with pytest.raises(HostsBusy), reserved_host():
            pass
    with unit_of_work() as session:
        run_id = ask_run(session).id
    assert not clean_if_idle(bench)
    assert old.exists()

    with unit_of_work() as session:
        session.execute(delete(Trial).where(Trial.run_id == run_id))
        session.execute(delete(Run).where(Run.id == run_id))

    assert clean_if_idle(bench)
    assert not old.exists()


def test_a_wrong_catalogue_removes_nothing(bench: Bench, tmp_path: Path) -> None:
    old = store_build(tmp_path / "data", "gone", OLD, 400)
    (bench.services_dir / "frameworks/javascript/node/service.toml").write_text("wrong =")

    with pytest.raises(ManifestInvalid):
        clean_if_idle(bench)

    assert old.exists()


def test_a_folder_that_cannot_be_removed_stays_and_is_logged(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stuck = store_build(tmp_path / "data", "gone", OLD, 400)
    # No folder can take the name of a folder with content.
    store(stuck.with_name(f"{stuck.name}.removed"), 0)

    assert clean_if_idle(bench)

    assert stuck.exists()
    assert f"the build {stuck} was not removed" in caplog.text


def test_load_generators_that_installations_share_stay(bench: Bench, tmp_path: Path) -> None:
    shared = store(tmp_path / "shared" / "0123456789abcdef", 400)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/k6").symlink_to(shared.parent)

    assert clean_if_idle(bench)

    assert shared.exists()


def test_a_shortage_removes_what_the_limits_would_keep_and_cleans_at_once(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    current = store_build(data, "node", find_current_digest(bench), 400)
    comparable = store_build(data, "node", OLD, 5)
    today = store_build(data, "gone", OLD, 0.5)
    unneeded = store_build(data, "gone", NEW, 5)
    with unit_of_work() as session:
        History(session, bench.host_id).add(10.0, {"node": OLD})
        touch_host(session, bench.host_id, "a disk lacks space")
        # Its trials wait for space.
        ask_run(session)
    bench = replace(bench, folders={HostFolder.DATA: data})
    assert clean_if_idle(bench)
    assert unneeded.exists()

    # More than any disk has.
    monkeypatch.setenv("TACHO_HOST_FREE_MB", str(10**9))
    get_settings.cache_clear()
    cleaner = make_cleaner(bench)
    cleaner.start()
    cleaner.wake_up()
    try:
        assert is_true_within(30, lambda: not unneeded.exists())
    finally:
        cleaner.stop()
    # Items that were used in the last day may be removed later.
    assert cleaning._clean_once(bench) == 600.0
    assert [folder for folder in (current, comparable, today) if not folder.exists()] == []
