"""The program of a trial is found below the launcher of its sandbox."""

import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from backend.tests.waiting import wait_for
from tools.chaos.victims import _find_program


@pytest.mark.parametrize("is_started", [True, False])
def test_a_launcher_that_makes_a_sandbox_is_not_the_program(
    tmp_path: Path, *, is_started: bool
) -> None:
    launcher = tmp_path / "bwrap"
    shutil.copy("/bin/bash", launcher)
    child = "sleep 60" if is_started else f"{launcher} -c 'read -r line'"
    with subprocess.Popen(
        [str(launcher), "-c", f"{child}; true"], stdin=subprocess.PIPE, start_new_session=True
    ) as process:
        wait_for(lambda: bool(psutil.Process(process.pid).children()))
        if is_started:
            wait_for(lambda: _find_program(process.pid) is not None)
        found = _find_program(process.pid)

        assert (found is not None) is is_started
        assert found != process.pid
        subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=True)
