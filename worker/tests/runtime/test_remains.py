"""The containers of a killed worker are removed by its guard, also if its starter is killed."""

import os
import subprocess
import sys
import time

import pytest

from backend.core.config import ROOT
from backend.tests.waiting import LIMIT_S
from worker.runtime.docker.engine import LABEL_GUARD, connect
from worker.runtime.docker.images import build_from_memory

pytestmark = pytest.mark.docker

_IMAGE = "tacho-test-remains:1"
_WORKER = f"""
import os, time
from backend.platform.processes.guard import MARK
from worker.runtime.docker.engine import LABEL_GUARD, connect
connect().create_container({_IMAGE!r}, command=["/x"], labels={{LABEL_GUARD: os.environ[MARK]}})
print(os.environ[MARK], os.getpid(), flush=True)
time.sleep(300)
"""
_STARTER = f"""
import subprocess, sys, time
from backend.platform.processes.guard import guard_command
from backend.platform.processes.parts import WORKER_CLEANING
worker = guard_command([sys.executable, "-c", {_WORKER!r}], afterwards=WORKER_CLEANING)
subprocess.Popen(worker, start_new_session=True)
time.sleep(300)
"""


@pytest.mark.parametrize("killed", ["starter", "worker"])
def test_containers_are_removed_within_5_s(killed: str) -> None:
    engine = connect()
    try:
        build_from_memory(engine, _IMAGE, {"Dockerfile": b"FROM scratch\nCOPY x /x\n", "x": b"x"})
        with subprocess.Popen(
            [sys.executable, "-c", _STARTER],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        ) as starter:
            assert starter.stdout is not None
            guard, worker = starter.stdout.readline().decode().split()
            label = {"label": f"{LABEL_GUARD}={guard}"}
            assert engine.containers(all=True, filters=label)

            os.kill(starter.pid if killed == "starter" else int(worker), 9)

            deadline = time.monotonic() + LIMIT_S
            while engine.containers(all=True, filters=label):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            starter.kill()
    finally:
        engine.remove_image(_IMAGE, force=True)
        engine.close()
