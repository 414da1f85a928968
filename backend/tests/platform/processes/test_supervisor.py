"""The supervisor with real processes: order, restart, back-off and cleanup."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from backend.platform.errors import AlreadyRunning, PartFailed
from backend.platform.layout import Layout
from backend.platform.processes.leftovers import stop_leftovers
from backend.platform.processes.part_states import PartState, read_part_states
from backend.platform.processes.programs import ProgramSpec, RunningProgram, find_recorded, lives
from backend.platform.processes.single import sole_owner
from backend.platform.processes.supervisor import Supervisor, backoff_s
from backend.tests import waiting

SLEEP = ("sleep", "300")
# Ignores SIGTERM and has a child of its own: only a kill of the whole session ends both.
STUBBORN = ("sh", "-c", "trap '' TERM; sleep 300 & echo started; wait; sleep 300")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(layout: Layout, said: list[str]) -> Iterator[Supervisor]:
    supervisor = Supervisor(layout, said.append)
    yield supervisor
    supervisor.stop()


def part(name: str, argv: tuple[str, ...], **others: object) -> ProgramSpec:
    given = {"name": name, "argv": argv, "is_ready": lambda: True, "grace_s": 0.5} | others
    return ProgramSpec(**given)  # type: ignore[arg-type]


def record(layout: Layout, name: str) -> psutil.Process:
    process = find_recorded(layout.run / f"{name}.json")
    assert process is not None
    return process


def wait_for(condition: Callable[[], bool], supervisor: Supervisor | None = None) -> None:
    def is_met() -> bool:
        if supervisor is not None:
            supervisor.tend()
        return condition()

    waiting.wait_for(is_met)


def test_a_killed_part_is_restarted(
    supervisor: Supervisor, layout: Layout, said: list[str]
) -> None:
    supervisor.start([part("worker", SLEEP)])
    first = record(layout, "worker")
    first.kill()
    wait_for(lambda: any("running again" in line for line in said), supervisor)
    assert record(layout, "worker").pid != first.pid
    assert "worker was ended by SIGKILL" in said[0]
    assert str(layout.logs / "worker.log") in said[0]


def test_a_part_that_keeps_dying_is_restarted_for_ever_and_the_others_stay_up(
    supervisor: Supervisor,
    layout: Layout,
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("backend.platform.processes.supervisor._LONGEST_BACKOFF_S", 0.01)
    supervisor.start([part("api", SLEEP)])
    supervisor.start([part("worker", ("sh", "-c", "echo no engine; exit 7"))])
    api = record(layout, "api")

    def worker() -> PartState:
        return {state.name: state for state in read_part_states(layout.part_states)}["worker"]

    wait_for(lambda: worker().restarts >= 7, supervisor)
    assert lives(api)
    assert not worker().is_well
    assert worker().reason == "ended with exit code 7"
    assert worker().last_lines == ["no engine"]
    assert worker().failed_at is not None
    # The end of the log is printed for the first deaths only.
    assert sum("no engine" in line for line in said) < 5
    assert "worker ended with exit code 7, 5 times in a row" in "\n".join(said)


def test_other_children_survive_the_death_of_a_part(layout: Layout) -> None:
    # In a process of its own, because `watch` ends all other children.
    script = (
        "import os, signal, subprocess, sys; from pathlib import Path\n"
        "from backend.platform.layout import Layout\n"
        "from backend.platform.processes.programs import ProgramSpec, find_recorded\n"
        "from backend.platform.processes.supervisor import Supervisor\n"
        "layout = Layout(Path(sys.argv[1]))\n"
        "supervisor = Supervisor(layout, lambda text: None)\n"
        f"supervisor.start([ProgramSpec('api', {SLEEP!r}, lambda: True)])\n"
        "ended = subprocess.Popen(['sh', '-c', 'exit 3'])\n"
        f"running = subprocess.Popen({SLEEP!r})\n"
        "supervisor.kept.update({ended.pid, running.pid})\n"
        "find_recorded(layout.run / 'api.json').kill()\n"
        "looks = iter(range(20))\n"
        "supervisor.watch(lambda: next(looks, None) is None)\n"
        "print(ended.wait(), running.poll(), flush=True)\n"
        "running.kill(); running.wait(); supervisor.stop()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(layout.data)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "3 None\n"


def test_a_part_that_runs_for_a_minute_is_healthy_again(
    supervisor: Supervisor, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor.start([part("worker", SLEEP)])
    record(layout, "worker").kill()

    def is_well() -> bool:
        return all(state.is_well for state in read_part_states(layout.part_states))

    assert is_well()
    wait_for(lambda: not is_well(), supervisor)
    monkeypatch.setattr("backend.platform.processes.supervisor._HEALTHY_S", 0.1)
    wait_for(is_well, supervisor)
    [state] = read_part_states(layout.part_states)
    assert state.restarts == 1
    assert state.next_try_at is None


def test_the_error_of_a_part_that_is_never_ready_has_the_reason(supervisor: Supervisor) -> None:
    broken = part("api", ("sh", "-c", "echo port taken; exit 3"), is_ready=lambda: False)
    with pytest.raises(PartFailed, match=r"(?s)api ended with exit code 3.*port taken"):
        supervisor.start([broken])


def test_a_slow_part_fails_after_its_timeout(supervisor: Supervisor) -> None:
    slow = part("api", SLEEP, is_ready=lambda: False, ready_timeout_s=0.2)
    with pytest.raises(PartFailed, match="not ready after"):
        supervisor.start([slow])


def test_stop_leaves_nothing(supervisor: Supervisor, layout: Layout) -> None:
    supervisor.start([part("database", SLEEP)])
    supervisor.start([part("worker", STUBBORN), part("api", SLEEP)])
    log = layout.logs / "worker.log"
    wait_for(lambda: "started" in log.read_text())
    parts = [record(layout, name) for name in ("database", "worker", "api")]
    below = [child for part in parts for child in part.children(recursive=True)]
    assert below
    supervisor.stop()
    assert not any(lives(process) for process in [*parts, *below])
    assert list(layout.run.iterdir()) == []


def test_leftovers_of_a_killed_start_are_stopped(layout: Layout) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from backend.platform.layout import Layout\n"
        "from backend.platform.processes.programs import ProgramSpec, RunningProgram\n"
        f"spec = ProgramSpec('worker', {STUBBORN!r}, lambda: True)\n"
        "RunningProgram(spec, Layout(Path(sys.argv[1])))\n"
        "print('up', flush=True); time.sleep(300)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(layout.data)], stdout=subprocess.PIPE
    ) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"up\n"
        wait_for(lambda: "started" in (layout.logs / "worker.log").read_text())
        worker = record(layout, "worker")
        child = worker.children()[0]
        killed.kill()
    assert worker.is_running()
    assert stop_leftovers(layout) == ["worker"]
    assert not lives(worker)
    assert not lives(child)
    assert stop_leftovers(layout) == []


def test_a_reused_process_id_is_left_alone(layout: Layout) -> None:
    with subprocess.Popen(SLEEP) as unrelated:
        stale = {"pid": unrelated.pid, "started": time.time() - 3600}
        (layout.run / "worker.json").write_text(json.dumps(stale))
        assert stop_leftovers(layout) == []
        assert unrelated.poll() is None
        unrelated.kill()


def test_a_second_owner_gets_the_address_of_the_first(layout: Layout) -> None:
    with sole_owner(layout, "http://127.0.0.1:8123"):
        with pytest.raises(AlreadyRunning, match=r"http://127\.0\.0\.1:8123") as caught:
            sole_owner(layout, "http://127.0.0.1:9999").__enter__()
        assert caught.value.fields["pid"] == os.getpid()
    with sole_owner(layout, "http://127.0.0.1:9999"):
        pass


def test_ctrl_c_in_a_terminal_does_not_reach_programs(layout: Layout) -> None:
    program = RunningProgram(part("api", SLEEP), layout)
    assert os.getsid(program.pid) == program.pid != os.getsid(0)
    program.ask_to_stop()
    program.finish(time.monotonic() + waiting.LIMIT_S)
    assert program.exit_code() == -signal.SIGTERM


def test_backoff_grows_to_a_limit() -> None:
    assert [backoff_s(failures) for failures in (1, 2, 3, 9, 9999)] == [0.5, 1.0, 2.0, 60.0, 60.0]
