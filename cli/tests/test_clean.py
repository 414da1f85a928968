"""`tacho clean` as a process, on a data folder with old builds."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from backend.core.config import ROOT, Settings
from backend.core.db import unit_of_work
from backend.platform.tools import get_tool
from backend.tests.commands import make_environment, run_tacho
from backend.tests.factories import HOST, add_host
from worker.cleanup.cleaning import reserved_host
from worker.loadgen.build import ensure_k6


@pytest.fixture
def machine(database: Settings, tmp_path: Path) -> Mapping[str, str]:
    """The environment of a shell on a bench host, whose load generator is built."""
    built = ensure_k6(ROOT / ".tacho/cache", get_tool("go").path)
    shutil.copytree(built.parent, tmp_path / "data/k6" / built.parent.name)
    return make_environment(
        tmp_path,
        DATABASE_URL=database.database_url,
        TACHO_BENCH_HOST=HOST,
        TACHO_RUNTIME="process",
    )


@pytest.fixture
def old_build(tmp_path: Path) -> Path:
    """A build of a framework that is not in the catalogue, last used in 2001."""
    folder = tmp_path / "data/build/process/gone-0123456789ab"
    folder.mkdir(parents=True)
    note = folder.with_name(f"{folder.name}.json")
    note.write_text(json.dumps({"build_seconds": 1.0, "size_bytes": 5 * 1024**2}))
    os.utime(note, (10**9, 10**9))
    return folder


def run(machine: Mapping[str, str], *words: str, code: int = 0) -> str:
    ended, printed = run_tacho(machine, "clean", *words)
    assert ended == code, printed
    return printed


def test_a_dry_run_shows_what_a_run_then_removes(
    machine: Mapping[str, str], old_build: Path
) -> None:
    with unit_of_work() as session:
        add_host(session)

    planned = run(machine, "--dry-run")

    (line,) = (line for line in planned.splitlines() if old_build.name in line)
    assert "2001-09-09" in line
    assert "would be removed: not used for" in line
    assert "Would free 5 MiB of" in planned
    assert "kept: this version of Tacho uses it" in planned
    assert old_build.exists()

    done = run(machine)

    assert "removed: not used for" in done
    assert "Freed 5 MiB of" in done
    assert not old_build.exists()
    assert old_build.name not in run(machine, "--dry-run")


def test_a_host_that_runs_a_trial_is_not_cleaned(
    machine: Mapping[str, str], old_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unit_of_work() as session:
        add_host(session)
    monkeypatch.setattr("worker.cleanup.cleaning.get_settings", lambda: Settings(bench_host=HOST))
    with reserved_host():
        assert f"Another trial uses the host '{HOST}'" in run(machine, code=2)
    assert old_build.exists()


def test_a_machine_without_a_worker_is_refused(machine: Mapping[str, str]) -> None:
    assert f"has no bench host '{HOST}'" in run(machine, "--dry-run", code=1)
