"""A worker killed with SIGKILL leaves a running trial, and the next worker removes all of it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import docker
import psutil
import pytest

from backend.platform.processes.programs import lives
from worker.runtime.base import BuildRequest
from worker.runtime.docker.engine import LABEL_TRIAL
from worker.tests.runtime.abandon import open_runtime

_ROOT = Path(__file__).resolve().parents[3]


def _abandon(kind: str, k6: Path, data: Path, request: BuildRequest) -> str:
    """Start a worker, wait until its load runs, and kill it; return its trial's id."""
    trial_id = str(uuid4())
    module = "worker.tests.runtime.abandon"
    arguments = [kind, str(k6), str(data), str(request.source.folder), request.digest, trial_id]
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, cwd=_ROOT
    ) as worker:
        assert worker.stdout is not None
        try:
            assert b'"type":"tick"' in worker.stdout.readline()
        finally:
            worker.send_signal(signal.SIGKILL)
    return trial_id


def _processes_of(trial_id: str) -> list[int]:
    """Return the processes of a trial, recognised by their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if trial_id.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def _leaders_of(folder: Path) -> list[int]:
    """Return the leaders of the sessions that a trial recorded."""
    lines = (folder / "1.ledger.jsonl").read_text().splitlines()
    return [entry["pid"] for entry in map(json.loads, lines) if "pid" in entry]


def test_processes_of_a_killed_worker_are_removed(
    k6: Path, tmp_path: Path, plain_service: BuildRequest
) -> None:
    trial_id = _abandon("process", k6, tmp_path, plain_service)
    leaders = _leaders_of(tmp_path / "trials" / trial_id)
    assert len(leaders) >= 3  # holder of the network, launcher of the service, k6
    assert len(_processes_of(trial_id)) >= 3  # service, its child, k6
    runtime = open_runtime("process", k6, tmp_path)
    assert runtime.list_attempts() == {(trial_id, 1)}
    runtime.remove_attempt(trial_id, 1)
    assert _processes_of(trial_id) == []
    assert [pid for pid in leaders if psutil.pid_exists(pid) and lives(psutil.Process(pid))] == []
    assert runtime.list_attempts() == set()
    assert [str(path) for path in Path("/sys/fs/cgroup").rglob(f"{trial_id}*")] == []


def test_a_process_with_a_reused_pid_is_not_killed(k6: Path, tmp_path: Path) -> None:
    """The ledger of an ended trial may name a pid that another process has now."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as unrelated:
        folder = tmp_path / "trials" / "old"
        folder.mkdir(parents=True)
        (folder / "attempt").write_text("1")
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        entry = f'{{"pid": {unrelated.pid}, "start_ticks": 1, "boot_id": "{boot_id}"}}\n'
        (folder / "1.ledger.jsonl").write_text(entry + '{"pid": 1, "sta')
        open_runtime("process", k6, tmp_path).remove_attempt("old", 1)
        assert unrelated.poll() is None
        os.kill(unrelated.pid, signal.SIGKILL)
    assert not folder.exists()


@pytest.mark.docker
@pytest.mark.usefixtures("docker_runtime")
def test_containers_of_a_killed_worker_are_removed(
    k6: Path, tmp_path: Path, plain_service: BuildRequest
) -> None:
    trial_id = _abandon("docker", k6, tmp_path, plain_service)
    runtime = open_runtime("docker", k6, tmp_path)
    assert (trial_id, 1) in runtime.list_attempts()
    runtime.remove_attempt(trial_id, 1)
    assert (trial_id, 1) not in runtime.list_attempts()
    client = docker.from_env()
    try:
        label = f"{LABEL_TRIAL}={trial_id}"
        assert client.containers.list(all=True, filters={"label": label}) == []
    finally:
        client.close()
