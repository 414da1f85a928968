"""The threads of a JIT compiler: found by their names, watched, and helped during a warm-up."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from worker.resources.compilers import CompilerThreads

# A program with a thread that has the name of a compiler, and works or sleeps.
PROGRAM = """
import sys, threading, time
from pathlib import Path

def begin():
    print(threading.get_native_id(), flush=True)
    time.sleep(120)

def compile():
    Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(sys.argv[1])
    print(threading.get_native_id(), flush=True)
    if sys.argv[2] == "starts another":
        sys.stdin.readline()
        threading.Thread(target=begin, daemon=True).start()
    while True:
        if sys.argv[2] == "works":
            sum(range(1000))
        else:
            time.sleep(0.05)

threading.Thread(target=compile, daemon=True).start()
time.sleep(120)
"""


@pytest.fixture
def start(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """Start a program with the arguments of the test; return its id and that of its thread."""
    command = [sys.executable, "-c", PROGRAM, *request.param]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.pid, int(process.stdout.readline())
        process.kill()


def watch(pid: int) -> float | None:
    """Return the share of half a second in which the compilers of a process had work."""
    compilers = CompilerThreads(lambda: [pid])
    compilers.measure()
    threading.Event().wait(0.5)
    return compilers.measure()


@pytest.mark.parametrize(
    ("start", "low", "high"),
    [(("C2 CompilerThread0", "works"), 0.8, 1.1), (("C1 CompilerThread0", "sleeps"), 0.0, 0.5)],
    indirect=["start"],
)
def test_a_compiler_that_runs_or_waits_for_a_cpu_has_work(
    start: tuple[int, int], low: float, high: float
) -> None:
    share = watch(start[0])

    assert share is not None
    assert low <= share < high


@pytest.mark.parametrize("start", [("http-nio-8080", "works")], indirect=True)
def test_only_the_name_of_a_compiler_makes_a_thread_one(start: tuple[int, int]) -> None:
    assert watch(start[0]) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator may raise a priority")
@pytest.mark.parametrize("start", [("C2 CompilerThread0", "sleeps")], indirect=True)
def test_a_compiler_has_priority_until_the_window_begins(start: tuple[int, int]) -> None:
    pid, thread = start
    compilers = CompilerThreads(lambda: [pid])
    compilers.measure()

    compilers.hurry()
    assert os.getpriority(os.PRIO_PROCESS, thread) == -20
    assert os.getpriority(os.PRIO_PROCESS, pid) == 0
    compilers.rest()

    assert os.getpriority(os.PRIO_PROCESS, thread) == 0
    assert compilers.were_hurried
    assert compilers.measure() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator may raise a priority")
def test_a_thread_that_a_compiler_starts_does_not_keep_its_priority() -> None:
    command = [sys.executable, "-c", PROGRAM, "C2 CompilerThread0", "starts another"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        compilers = CompilerThreads(lambda: [process.pid])
        compilers.measure()
        compilers.hurry()
        process.stdin.write("\n")
        process.stdin.flush()
        other = int(process.stdout.readline())
        assert os.getpriority(os.PRIO_PROCESS, other) == -20

        compilers.rest()

        assert os.getpriority(os.PRIO_PROCESS, other) == 0
        process.kill()


def test_a_process_that_has_ended_has_no_compilers() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()

    assert watch(ended.pid) is None
