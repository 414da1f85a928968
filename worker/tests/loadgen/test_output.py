"""A load generator that dies is reported with its signal."""

import subprocess

import pytest

from backend.core.errors import LoadFailed, LoadGeneratorDied
from backend.core.units import FailureCause
from worker.loadgen.output import await_exit, explain_death, read_lines
from worker.loadgen.parse import LoadLineInvalid, PollingLine
from worker.runtime.process.execution import ProcessExecution

_POLLING = '{"type":"polling"}'


def run(script: str) -> ProcessExecution:
    """Run a shell script that ends by itself instead of a load generator."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    return ProcessExecution(process, process.pid)


def test_a_load_generator_killed_within_a_line_is_reported_as_dead() -> None:
    lines = read_lines(run(f"echo '{_POLLING}'; printf '{{\"type\":\"sec'; kill -9 $$"))

    assert isinstance(next(lines), PollingLine)
    with pytest.raises(LoadGeneratorDied, match="was killed by SIGKILL") as death:
        next(lines)
    assert death.value.cause is FailureCause.LOAD_GENERATOR


def test_a_load_generator_killed_between_lines_is_reported_as_dead() -> None:
    execution = run(f"echo '{_POLLING}'; echo 'out of breath' >&2; kill -9 $$")
    assert [type(line) for line in read_lines(execution)] == [PollingLine]
    failure = explain_death(await_exit(execution), execution)

    assert isinstance(failure, LoadGeneratorDied)
    assert "was killed by SIGKILL" in failure.detail
    assert "out of breath" in failure.detail


def test_a_line_of_another_version_is_a_fault_of_the_load_generator() -> None:
    with pytest.raises(LoadLineInvalid) as failure:
        list(read_lines(run("echo nonsense; exit 0")))
    assert failure.value.cause is FailureCause.LOAD_GENERATOR


def test_an_early_end_explains_the_exit_code() -> None:
    execution = run("exit 107")
    list(read_lines(execution))

    failure = explain_death(await_exit(execution), execution)

    assert type(failure) is LoadFailed
    assert failure.detail == (
        "The load generator ended with exit code 107: the script raised an exception before the "
        "load was complete."
    )
