"""A load generator that dies is reported with its signal."""

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from backend.core.errors import LoadFailed, LoadGeneratorDied
from backend.core.units import FailureCause
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import LoadLineInvalid, PollingLine
from worker.runtime.process.execution import ProcessExecution

_POLLING = '{"type":"polling"}'


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes to be ended after the test."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def run(started: list[subprocess.Popen[bytes]], script: str) -> ProcessExecution:
    process = subprocess.Popen(
        ["/bin/sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    started.append(process)
    return ProcessExecution(process, process.pid)


def test_a_load_generator_killed_within_a_line_is_reported_as_dead(
    started: list[subprocess.Popen[bytes]],
) -> None:
    execution = run(started, f"echo '{_POLLING}'; printf '{{\"type\":\"sec'; kill -9 $$")
    lines = read_lines(execution)

    assert isinstance(next(lines), PollingLine)
    with pytest.raises(LoadGeneratorDied, match="was killed by SIGKILL") as death:
        next(lines)
    assert death.value.cause is FailureCause.LOAD_GENERATOR


def test_a_load_generator_killed_between_lines_is_reported_as_dead(
    started: list[subprocess.Popen[bytes]],
) -> None:
    execution = run(started, f"echo '{_POLLING}'; echo 'out of breath' >&2; exec sleep 600")
    lines = read_lines(execution)
    next(lines)
    while "breath" not in execution.stderr:
        assert started[0].poll() is None
    os.kill(started[0].pid, signal.SIGKILL)
    failure = explain_death(await_exit(execution), execution)

    assert isinstance(failure, LoadGeneratorDied)
    assert "was killed by SIGKILL" in failure.detail
    assert "out of breath" in failure.detail


def test_a_line_of_another_version_is_a_fault_of_the_load_generator(
    started: list[subprocess.Popen[bytes]],
) -> None:
    execution = run(started, "echo nonsense; exit 0")

    with pytest.raises(LoadLineInvalid) as failure:
        list(read_lines(execution))
    assert failure.value.cause is FailureCause.LOAD_GENERATOR


def test_an_early_end_explains_the_exit_code(
    started: list[subprocess.Popen[bytes]],
) -> None:
    execution = run(started, "exit 107")
    list(read_lines(execution))

    failure = explain_death(await_exit(execution), execution)

    assert type(failure) is LoadFailed
    assert failure.detail == (
        "The load generator ended with exit code 107: the script raised an exception before the "
        "load was complete."
    )
