"""A process detects that only its parent, make, was interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from backend.platform.processes.parent import is_make_interrupted, parse_blocked_signals
from backend.tests.waiting import LIMIT_S

WAITING = "Name:\tmake\nSigPnd:\t0000000000000000\nSigBlk:\t0000000000010002\nSigIgn:\t00\n"


def test_mask_as_the_kernel_prints_it() -> None:
    assert parse_blocked_signals(WAITING) == 0x10002
    assert parse_blocked_signals("Name:\tmake\n") == 0


def test_no_make_no_interruption() -> None:
    assert not is_make_interrupted()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells blocked signals")
def test_a_child_of_make_notices_its_interruption(tmp_path: Path) -> None:
    child = (
        "import time; from backend.platform.processes.parent import is_make_interrupted as over; "
        "print(over(), flush=True)\nwhile not over(): time.sleep(0.02)\nprint(over(), flush=True)"
    )
    (tmp_path / "child.py").write_text(child)
    (tmp_path / "Makefile").write_text(f"all:\n\t@exec {sys.executable} child.py\n")
    with subprocess.Popen(
        # In the background of a shell, this process and its children would ignore SIGINT.
        ["env", "--default-signal=INT", "make", "-C", str(tmp_path), "--no-print-directory"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "MAKEFLAGS": ""},
    ) as make:
        assert make.stdout is not None
        assert make.stdout.readline() == "False\n"
        make.send_signal(signal.SIGINT)
        assert make.stdout.readline() == "True\n"
        make.wait(LIMIT_S)
