"""One process uses a data folder at a time, and `tacho upgrade` may stop `tacho up`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from backend.core.config import ROOT
from backend.platform.errors import AlreadyRunning
from backend.platform.layout import Layout
from backend.platform.processes.single import find_owner, sole_owner, stop_owner

URL = "http://127.0.0.1:8000"
LIMIT_S = 60.0
OWNER = """
import sys, time
from pathlib import Path
from backend.platform.layout import Layout
from backend.platform.processes.single import sole_owner
with sole_owner(Layout(Path(sys.argv[1])), "{url}", serves={serves}):
    print("locked", flush=True)
    time.sleep({limit_s})
"""


@contextmanager
def owner(layout: Layout, *, serves: bool) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lock."""
    program = OWNER.format(url=URL, serves=serves, limit_s=LIMIT_S)
    command = [sys.executable, "-c", program, str(layout.data)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        with ExitStack() as exits:
            exits.callback(process.kill)
            assert process.stdout.readline() == "locked\n"
            yield process


def test_a_free_folder_has_no_owner(layout: Layout) -> None:
    assert find_owner(layout, URL) is None
    stop_owner(layout, URL)


def test_the_owner_is_found_and_stopped(layout: Layout) -> None:
    with owner(layout, serves=True) as process:
        found = find_owner(layout, URL)
        assert found is not None
        assert (found.pid, found.serves) == (process.pid, True)

        stop_owner(layout, URL, LIMIT_S)

        assert process.wait(LIMIT_S) < 0
    assert find_owner(layout, URL) is None


def test_another_command_is_not_stopped(layout: Layout) -> None:
    with owner(layout, serves=False) as process:
        with pytest.raises(AlreadyRunning, match=f"process {process.pid}"):
            stop_owner(layout, URL, LIMIT_S)
        assert process.poll() is None


def test_the_lock_of_an_earlier_version_is_that_of_tacho_up(layout: Layout) -> None:
    with sole_owner(layout, URL):
        layout.lock.write_text('{"pid": 1, "url": "http://127.0.0.1:9000"}')
        found = find_owner(layout, URL)

    assert found is not None
    assert (found.pid, found.serves) == (1, True)
