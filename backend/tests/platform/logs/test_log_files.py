"""The log files of the parts stay bounded in size and number while the parts write."""

import sys
from pathlib import Path

import pytest

from backend.platform.layout import Layout
from backend.platform.logs.log_files import LONGEST_LOG_BYTES, numbered, rotate_if_long
from backend.platform.processes.programs import ProgramSpec, RunningProgram

LINE = b"a line of a part\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "api.log"


def test_a_short_log_stays(log: Path) -> None:
    log.write_bytes(LINE)

    assert not rotate_if_long(log, longest_bytes=len(LINE))
    assert log.read_bytes() == LINE
    assert not rotate_if_long(log.with_name("missing.log"))


def test_a_long_log_moves_while_its_writer_goes_on(log: Path) -> None:
    with log.open("ab", buffering=0) as writer:
        writer.write(LINE * 3)
        assert rotate_if_long(log, longest_bytes=len(LINE) * 2)
        writer.write(b"after\n")

    assert log.read_bytes() == b"after\n"
    assert numbered(log, 1).read_bytes() == LINE * 2


def test_only_the_newest_old_logs_are_kept(log: Path) -> None:
    for number in range(9):
        log.write_bytes(b"%d\n" % number * 10)
        assert rotate_if_long(log, longest_bytes=4, kept=3)

    found = sorted(path.name for path in log.parent.iterdir())
    assert found == ["api.log", "api.log.1", "api.log.2", "api.log.3"]
    assert [numbered(log, number).read_bytes() for number in (1, 2, 3)] == [
        b"8\n8\n",
        b"7\n7\n",
        b"6\n6\n",
    ]


def test_the_last_lines_of_a_part_are_found_after_a_rotation(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.make()
    much = f"print('x' * {LONGEST_LOG_BYTES + 5})"
    program = RunningProgram(ProgramSpec("api", (sys.executable, "-c", much), lambda: True), layout)
    program._process.wait()
    program.bound_log()
    with program.log.open("ab") as log:
        log.write(b"goodbye\n")

    lines = program.last_lines()
    program.finish(0)

    assert lines == ["goodbye"]
    assert numbered(program.log, 1).stat().st_size == LONGEST_LOG_BYTES
