"""Builds that never end or write endlessly fail with a reason and leave nothing running."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import docker
import psutil
import pytest

from backend.core.catalog.manifest import ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.config import get_settings
from backend.tests.waiting import LIMIT_S
from worker.runtime.base import BuildRequest, Runtime
from worker.runtime.building import BoundedLog, read_lines
from worker.runtime.docker.bases import _run
from worker.runtime.errors import BuildFailed
from worker.runtime.process import ProcessRuntime
from worker.tests.runtime.bench import ignore, never

_LOG_BYTES = 256 * 1024
_GROWTH_BYTES = 150 * 1024 * 1024
_FAILURE = (
    r"The build of plain-service did not end within \d s and was stopped.*TACHO_BUILD_SECONDS"
)


@pytest.fixture
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # The engine needs some time to start a container.
    seconds = 6 if request.node.get_closest_marker("docker") else 2
    monkeypatch.setenv("TACHO_BUILD_SECONDS", str(seconds))
    get_settings.cache_clear()
    yield
    monkeypatch.undo()
    get_settings.cache_clear()


def process_request(plain_service: BuildRequest, script: str) -> BuildRequest:
    recipe = ProcessRecipe(requires=(), build=(("sh", "-c", script),), run=("./plain-service",))
    return replace(plain_service, digest=os.urandom(16).hex(), process=recipe)


def find_remaining(mark: str, seconds: float = LIMIT_S) -> list[int]:
    """Return the marked processes that are left. A killed process needs a moment to end."""
    end = time.monotonic() + seconds
    while (found := find_marked(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def find_marked(mark: str) -> list[int]:
    """Return the processes with a variable of this test in their environment."""
    return [
        process.pid
        for process in psutil.process_iter(["environ"])
        if mark in (process.info["environ"] or {})
    ]


def check_log(failure: BuildFailed) -> None:
    assert len(failure.log.encode()) <= _LOG_BYTES + 200
    assert "bytes of this log were cut here" in failure.log


@pytest.mark.usefixtures("limit")
def test_a_silent_process_build_ends_at_its_deadline(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    mark = f"TEST_{os.urandom(8).hex()}"
    script = f"echo begun; export {mark}=1; sleep infinity & setsid sleep infinity & wait"
    request = process_request(plain_service, script)
    lines: list[str] = []
    with pytest.raises(BuildFailed, match=_FAILURE) as failure:
        process_runtime.build(request, lines.append, never)

    assert "begun" in lines
    assert failure.value.log.endswith("begun")
    assert find_remaining(mark) == []


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize("script", ["yes $(seq 100)", "yes | tr -d '\\n'"])
def test_a_process_build_that_writes_endlessly_is_stopped(
    process_runtime: ProcessRuntime, plain_service: BuildRequest, script: str
) -> None:
    mark = f"TEST_{os.urandom(8).hex()}"
    request = process_request(plain_service, f"export {mark}=1; {script}")
    before = psutil.Process().memory_info().rss
    with pytest.raises(BuildFailed, match=_FAILURE) as failure:
        process_runtime.build(request, ignore, never)

    assert psutil.Process().memory_info().rss - before < _GROWTH_BYTES
    check_log(failure.value)
    assert find_remaining(mark) == []


@pytest.mark.docker
@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize(
    ("command", "is_long"),
    [
        ('["/plain-service", "sleep"]', False),
        ('["/plain-service", "repeat", "y\\\\n"]', True),
        ('["/plain-service", "repeat", "y"]', True),
    ],
)
def test_a_docker_build_ends_at_its_deadline(
    docker_runtime: Runtime,
    plain_service: BuildRequest,
    tmp_path: Path,
    command: str,
    is_long: bool,
) -> None:
    binary = plain_service.source.folder / "plain-service"
    (tmp_path / "plain-service").write_bytes(binary.read_bytes())
    (tmp_path / "plain-service").chmod(0o755)
    (tmp_path / "Dockerfile").write_text(f"FROM scratch\nCOPY plain-service /\nRUN {command}\n")
    request = replace(plain_service, source=SourceTree(tmp_path), digest=os.urandom(16).hex())
    lines: list[str] = []

    def on_log(line: str) -> None:
        if len(lines) < 100:
            lines.append(line)

    before = psutil.Process().memory_info().rss
    with pytest.raises(BuildFailed, match=_FAILURE) as failure:
        docker_runtime.build(request, on_log, never)

    assert psutil.Process().memory_info().rss - before < _GROWTH_BYTES
    if is_long:
        check_log(failure.value)
    container = next(line for line in lines if "Running in" in line).split()[-1]
    client = docker.from_env()
    try:
        deadline = time.monotonic() + LIMIT_S
        while client.api.containers(all=True, filters={"id": container}):
            assert time.monotonic() < deadline, "the build's container is still there"
            time.sleep(0.1)
    finally:
        client.close()


def test_a_silent_program_that_builds_a_base_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The program is silent, like mmdebstrap when it waits for a mirror that does not answer."""
    monkeypatch.setattr("worker.runtime.docker.bases._QUIET_S", 0.1)
    mark = f"TEST_{os.urandom(8).hex()}"

    def stop(line: str) -> None:
        if "still at work" in line:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        _run(["sh", "-c", f"export {mark}=1; sleep infinity & wait"], stop)
    assert find_remaining(mark) == []


def test_a_long_log_keeps_its_head_and_tail_and_counts_the_rest() -> None:
    log = BoundedLog(head_bytes=12, tail_bytes=5)
    log.write("00000")
    log.write("00001")
    assert log.text == "00000\n00001"
    for number in range(2, 1000):
        log.write(f"{number:05}")

    assert log.text == "00000\n00001\n[5,983 bytes of this log were cut here]\n0999"


def test_lines_are_cut_into_pieces_of_bounded_length(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(b"short\r\n\n" + b"y" * 20_000 + b"\nlast")
    with path.open("rb") as stream:
        lines = list(read_lines(stream))

    assert lines[:2] == ["short", ""]
    assert lines[-1] == "last"
    assert [len(line) for line in lines[2:-1]] == [8192, 8192, 3616]


def test_a_process_build_that_hides_a_full_disk_fails_and_is_not_kept(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    request = process_request(plain_service, "head -c 1 /dev/zero > /dev/full; exit 0")
    for _ in range(2):
        with pytest.raises(BuildFailed, match="The build of plain-service met a full disk"):
            process_runtime.build(request, ignore, never)
