"""Nothing outlives the process that started it, by real processes and SIGKILL."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from backend.core.config import ROOT
from backend.platform.processes.guard import MARK, attend_command, guard_command
from backend.platform.processes.programs import lives
from backend.tests.waiting import wait_for

# Long enough for a busy machine. The promise to users is tested with a whole Tacho.
GONE_S = 120.0
# Ignores SIGTERM. Its descendants have sessions of their own, and one has lost its parent.
STUBBORN = (
    "trap '' TERM; setsid sh -c 'trap \"\" TERM; (setsid sleep 300 &) ; sleep 300; sleep 300' & "
    "sleep 300 & echo started; wait; sleep 300"
)
SLEEPERS = 3


class Family:
    """The processes whose environment has a mark of this test."""

    def __init__(self) -> None:
        self.mark = f"TACHO_TEST={uuid4().hex}"
        self.environment = os.environ | dict([self.mark.split("=")])

    def find(self, name: str = "") -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                environment = Path(f"/proc/{process.pid}/environ").read_bytes()
            except OSError:
                continue
            if self.mark.encode() in environment and lives(process):
                found.append(process)
        return [process for process in found if not name or process.name() == name]

    def start(self, argv: list[str]) -> "subprocess.Popen[bytes]":
        """Start a command; return when its program and the descendants of STUBBORN run."""
        process = subprocess.Popen(argv, env=self.environment, cwd=ROOT)
        wait_for(lambda: len(self.find("sleep")) == SLEEPERS)
        return process

    def start_below(self, *argv: str) -> "subprocess.Popen[bytes]":
        """Start a command below a guard, by a process of its own."""
        script = (
            "import subprocess, sys, time\n"
            "from backend.platform.processes.guard import guard_command\n"
            "subprocess.Popen(guard_command(sys.argv[1:]), start_new_session=True)\n"
            "time.sleep(300)"
        )
        return self.start([sys.executable, "-c", script, *argv])


@pytest.fixture
def family() -> Iterator[Family]:
    family = Family()
    yield family
    for process in family.find():
        process.kill()


def test_all_end_when_their_starter_is_killed(family: Family) -> None:
    starter = family.start_below("sh", "-c", STUBBORN)

    starter.kill()
    starter.wait()

    wait_for(lambda: not family.find(), GONE_S)


def test_a_program_may_end_by_itself_when_its_starter_is_killed(
    family: Family, tmp_path: Path
) -> None:
    saved = tmp_path / "saved"
    script = (
        f"trap 'echo saved > {saved}; exit' TERM; sleep 300 & sleep 300 & sleep 300 & wait; wait"
    )
    starter = family.start_below("sh", "-c", script)

    starter.kill()
    starter.wait()

    wait_for(lambda: not family.find(), GONE_S)
    assert saved.read_text() == "saved\n"


def test_all_end_when_the_program_is_killed(family: Family) -> None:
    with family.start_below("sh", "-c", STUBBORN) as starter:
        program = next(own for own in family.find("sh") if own.pid == os.getsid(own.pid))

        program.kill()

        wait_for(lambda: [own.pid for own in family.find()] == [starter.pid], GONE_S)
        starter.kill()


def test_a_killed_guard_takes_the_program_with_it(family: Family) -> None:
    starter = family.start([*attend_command(["sh", "-c", STUBBORN])])
    (guard,) = psutil.Process(starter.pid).children()

    guard.kill()

    assert starter.wait(GONE_S) == -signal.SIGKILL
    wait_for(lambda: not family.find(), GONE_S)


def test_a_killed_process_group_does_not_hold_the_guard(family: Family) -> None:
    """A job of a shell that is killed as a whole: its guard is in another session."""
    with subprocess.Popen(
        attend_command(["sh", "-c", STUBBORN]), env=family.environment, start_new_session=True
    ) as starter:
        wait_for(lambda: len(family.find("sleep")) == SLEEPERS)
        os.killpg(starter.pid, signal.SIGKILL)
    wait_for(lambda: not family.find(), GONE_S)


@pytest.mark.parametrize("command", [guard_command, attend_command])
def test_the_exit_code_is_that_of_the_program(command: Callable[[list[str]], list[str]]) -> None:
    for script, code in (
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -TERM $$", -signal.SIGTERM),
        ("kill -SEGV $$", -signal.SIGSEGV),
        ("kill -KILL $$", -signal.SIGKILL),
    ):
        assert subprocess.run(command(["sh", "-c", script]), check=False).returncode == code


def test_a_missing_program_is_named() -> None:
    done = subprocess.run(
        guard_command(["/nowhere/program"]), capture_output=True, text=True, check=False
    )
    assert done.returncode == 127
    assert done.stderr == "/nowhere/program cannot be started: No such file or directory.\n"


@pytest.mark.parametrize(
    ("number", "arrives"),
    [
        (signal.SIGTERM, signal.SIGTERM),
        (signal.SIGINT, signal.SIGINT),
        # A closed terminal.
        (signal.SIGHUP, signal.SIGTERM),
    ],
)
def test_a_signal_reaches_the_program(
    number: signal.Signals, arrives: signal.Signals, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    script = (
        f"trap 'exit {int(arrives)}' {int(arrives)}; touch {ready}; while :; do sleep 0.05; done"
    )
    with subprocess.Popen(attend_command(["sh", "-c", script])) as attended:
        wait_for(ready.exists)
        attended.send_signal(number)
        assert attended.wait(GONE_S) == arrives


def test_a_program_that_ignores_its_end_is_killed_after_its_grace_period(family: Family) -> None:
    started = family.start(guard_command(["sh", "-c", STUBBORN], grace_s=0.3))

    started.terminate()

    assert started.wait(GONE_S) == -signal.SIGKILL
    assert not family.find()


@pytest.mark.parametrize(("script", "runs"), [("exit 0", False), ("exit 1", True)])
def test_the_cleaning_command_runs_after_a_failure(script: str, runs: bool, tmp_path: Path) -> None:
    marks = {name: tmp_path / name for name in ("program", "cleaning")}
    write = {name: f"printenv {MARK} > {path}" for name, path in marks.items()}
    subprocess.run(
        guard_command(
            ["sh", "-c", f"{write['program']}; {script}"],
            afterwards=["sh", "-c", write["cleaning"]],
        ),
        check=False,
    )
    assert marks["cleaning"].exists() == runs
    if runs:
        assert marks["cleaning"].read_text() == marks["program"].read_text() != ""


_SUPERVISE = f"""
import sys, threading, time
from pathlib import Path
from backend.platform.processes.guard import adopt_orphans
from backend.platform.layout import Layout
from backend.platform.processes.programs import ProgramSpec
from backend.platform.processes.supervisor import Supervisor
adopt_orphans()
layout = Layout(Path(sys.argv[1]))
layout.make()
supervisor = Supervisor(layout, print)
supervisor.start([ProgramSpec("worker", ("sh", "-c", {STUBBORN!r}), lambda: True)])
supervisor.watch(lambda: False)
"""


def test_the_supervisor_ends_what_a_killed_guard_leaves_and_starts_the_part_again(
    family: Family, tmp_path: Path
) -> None:
    supervisor = family.start([sys.executable, "-c", _SUPERVISE, str(tmp_path / "data")])
    (guard,) = psutil.Process(supervisor.pid).children()
    below = guard.children(recursive=True)

    guard.kill()

    wait_for(lambda: not any(lives(process) for process in below), GONE_S)
    wait_for(lambda: len(family.find("sleep")) == SLEEPERS)
    supervisor.kill()
    supervisor.wait()
    wait_for(lambda: not family.find(), GONE_S)
