"""The first start: pages and API answer while the load generator is still being built."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.platform.network import find_free_port
from backend.platform.tools import get_tool, module_go
from backend.tests.commands import LIMIT_S, call_tacho, make_environment
from tools.benchmarks.api import ApiClient, describe
from worker.loadgen.build import SOURCE
from worker.tests.acceptance.cells import cell

# As `tacho up`, without the frontend, which this test does not need.
_UP = """
from cli import up
up.build_frontend = lambda *_: None
up.run()
"""
# Builds once the file exists, and runs every other command at once.
_GO = """#!/bin/sh
if [ "$1" = build ]; then while [ ! -e {gate} ]; do sleep 0.1; done; fi
exec {go} "$@"
"""


@dataclass
class FirstStart:
    """A Tacho whose load generator is built when `gate` exists."""

    gate: Path
    log: Path
    environment: dict[str, str]
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.environment['TACHO_PORT']}"

    def await_output(self, text: str) -> str:
        """Return what Tacho has printed, when it has printed a text."""
        self.await_state(lambda: text in self.log.read_text())
        return self.log.read_text()

    def await_state(self, is_reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LIMIT_S
        while not is_reached():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.2)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[FirstStart]:
    gate, go, log = tmp_path / "gate", tmp_path / "bin" / "go", tmp_path / "up.log"
    go.parent.mkdir()
    go.write_text(_GO.format(gate=gate, go=get_tool(module_go(SOURCE)).path))
    go.chmod(0o755)
    port = find_free_port()
    environment = make_environment(
        tmp_path,
        TACHO_PORT=str(port),
        TACHO_BENCH_HOST=f"first-{port}",
        TACHO_RUNTIME="process",
        TACHO_ALLOW_UNISOLATED="true",
        PATH=f"{go.parent}{os.pathsep}{os.environ['PATH']}",
        PYTHONUNBUFFERED="1",
    )
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", _UP], env=environment, stdout=output, stderr=output
        )
    try:
        yield FirstStart(gate, log, environment, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(LIMIT_S)


def test_runs_wait_for_the_load_generator(started: FirstStart) -> None:
    host = started.environment["TACHO_BENCH_HOST"]
    printed = started.await_output("Tacho is ready")
    assert "The load generator is still being built" in printed
    assert "Services run as processes, without Docker: " in printed
    with ApiClient(started.url) as api:
        health = api.get("/health")
        assert health["status"] == "ok"
        assert health["load_generator"] == {"host": host, "remaining_seconds": None}

        run = api.get_run(api.post("/runs", {"cells": [cell("node")], "trials": 1, "host": host}))
        shown = call_tacho(
            started.environment,
            *("run", "node", "--scenario", "hello", "--trials", "1", "--url", started.url),
        ).stdout
        assert f"The load generator is still being built. Runs on {host} wait for it." in shown
        time.sleep(5)
        assert api.get_run(run)["status"] == "queued"

        started.gate.touch()
        ended = api.await_run(run, LIMIT_S)
        assert ended["status"] == "succeeded", describe(ended)
        assert api.get("/health")["load_generator"] is None
        assert "✓ Load generator" in started.log.read_text()


def test_a_stop_during_the_build_leaves_nothing(started: FirstStart) -> None:
    started.await_output("Tacho is ready")
    started.process.send_signal(signal.SIGINT)
    assert started.process.wait(LIMIT_S) == 0
    assert "could not be built" not in started.log.read_text()
    data = Path(started.environment["TACHO_DATA"])
    assert not (data / "run" / "load-generator.build").exists()
    assert [path.name for path in data.glob("k6/*/*")] == ["lock"]
