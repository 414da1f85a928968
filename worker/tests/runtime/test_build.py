"""Builds run once per digest, fail with their log, and stop when the run is cancelled."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from backend.core.catalog.manifest import ProcessRecipe
from backend.core.catalog.sources import SourceTree
from backend.core.config import get_settings
from backend.core.units import RuntimeKind
from backend.tests.waiting import LIMIT_S
from worker.runtime.base import BuildRequest, Runtime
from worker.runtime.errors import BuildFailed, CancelledByUser, RuntimeFailure, RuntimeUnavailable
from worker.runtime.process import ProcessRuntime
from worker.tests.runtime.bench import ignore, never, seconds_since

_CANCEL_S = 2.0


def _recipe(*build: tuple[str, ...]) -> ProcessRecipe:
    return ProcessRecipe(requires=(), build=build, run=("./plain-service",))


def test_a_digest_is_built_once(runtime: Runtime, plain_service: BuildRequest) -> None:
    recipe = _recipe(("sh", "-c", "echo made > made.txt"))
    request = replace(plain_service, digest="once" * 8, process=recipe)
    first = runtime.build(request, ignore, never)
    lines: list[str] = []
    second = runtime.build(request, lines.append, never)
    assert second.cached
    assert lines == []
    assert second.reference == first.reference
    assert second.size_bytes == first.size_bytes > 1_000_000
    # The engine names an image by a digest of its content.
    is_image = runtime.kind is RuntimeKind.DOCKER
    assert (first.image_id or "").startswith("sha256:" if is_image else "")
    assert (first.image_id is not None) == is_image
    assert second.image_id == first.image_id


def test_a_process_build_reports_its_steps_and_time(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    request = replace(
        plain_service,
        digest="steps" * 8,
        process=_recipe(("{go}", "version"), ("sh", "-c", "echo made > made.txt")),
    )
    lines: list[str] = []
    artifact = process_runtime.build(request, lines.append, never)
    assert any(line.startswith("go version") for line in lines)
    assert Path(artifact.reference, "made.txt").read_text() == "made\n"
    assert not (request.source.folder / "made.txt").exists()
    assert artifact.build_seconds > 0
    assert not artifact.cached


def test_a_process_build_knows_no_secret_of_the_worker(
    process_runtime: ProcessRuntime, plain_service: BuildRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Read before the canaries are set, and then cached.
    get_settings()
    for name in ("AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "TACHO_TOKEN", "DATABASE_URL"):
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("GOPROXY", "https://modules.example")
    request = replace(plain_service, digest="secrets" * 8, process=_recipe(("env",)))
    lines: list[str] = []
    process_runtime.build(request, lines.append, never)
    assert "GOPROXY=https://modules.example" in lines
    assert [line for line in lines if "canary" in line] == []


def test_two_installations_build_the_same_service_at_once(
    k6: Path, tmp_path: Path, plain_service: BuildRequest
) -> None:
    recipe = _recipe(("sh", "-c", "echo begun; sleep 1; echo done"))
    request = replace(plain_service, digest="twice" * 8, process=recipe)
    here, there = (ProcessRuntime(k6, tmp_path / name, {}) for name in ("here", "there"))
    has_begun = threading.Event()
    with ThreadPoolExecutor() as pool:
        first = pool.submit(here.build, request, lambda _: has_begun.set(), never)
        assert has_begun.wait(LIMIT_S)
        second = pool.submit(there.build, request, ignore, never)
        references = {first.result().reference, second.result().reference}
    assert len(references) == 2


def test_a_tool_that_is_too_old_is_named_with_the_fix(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    recipe = ProcessRecipe(requires=("node", "python>=99"), run=("./plain-service",))
    request = replace(plain_service, digest="tools" * 8, process=recipe)
    with pytest.raises(RuntimeUnavailable, match=r"needs python>=99 \(here is 3\.") as failure:
        process_runtime.build(request, ignore, never)
    assert "tacho doctor" in failure.value.fix


def _cancelled_after(begin: float, seconds: float) -> bool:
    return seconds_since(begin) > seconds


def test_cancel_ends_a_silent_process_build(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    # Of this test only, also if another suite runs on this machine.
    silent = f"sleep {3_600 + os.getpid()}"
    recipe = _recipe(("sh", "-c", f"{silent} & wait"))
    request = replace(plain_service, digest="silent" * 8, process=recipe)
    begin = time.monotonic()
    with pytest.raises(CancelledByUser):
        process_runtime.build(request, ignore, lambda: _cancelled_after(begin, 0.5))
    assert _processes_with(silent) == 0


def _processes_with(command: str) -> int:
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += path.read_bytes().replace(b"\0", b" ").strip().decode() == command
        except OSError:
            continue
    return count


def _docker_request(folder: Path, plain_service: BuildRequest, dockerfile: str) -> BuildRequest:
    (folder / "Dockerfile").write_text(dockerfile)
    (folder / ".dockerignore").write_text("*.secret\n")
    (folder / "a.secret").write_text("no")
    binary = plain_service.source.folder / "plain-service"
    (folder / "plain-service").write_bytes(binary.read_bytes())
    (folder / "plain-service").chmod(0o755)
    digest = str(time.time_ns()).rjust(32, "0")[::-1]
    return replace(plain_service, source=SourceTree(folder), digest=digest)


@pytest.mark.docker
def test_a_docker_build_respects_dockerignore(
    docker_runtime: Runtime, plain_service: BuildRequest, tmp_path: Path
) -> None:
    request = _docker_request(tmp_path, plain_service, "FROM scratch\nCOPY a.secret /\n")
    with pytest.raises(BuildFailed, match="does not build") as failure:
        docker_runtime.build(request, ignore, never)
    assert "COPY a.secret" in failure.value.log


@pytest.mark.docker
def test_docker_build_without_a_registry_names_the_fix(
    docker_runtime: Runtime, plain_service: BuildRequest, tmp_path: Path
) -> None:
    request = _docker_request(tmp_path, plain_service, "FROM 127.0.0.1:1/nobody-serves-this\n")
    with pytest.raises(BuildFailed, match="TACHO_BASES=debian"):
        docker_runtime.build(request, ignore, never)


@pytest.mark.docker
def test_a_build_whose_image_is_gone_at_its_end_is_a_fault_of_the_engine(
    docker_runtime: Runtime, plain_service: BuildRequest, tmp_path: Path
) -> None:
    request = _docker_request(tmp_path, plain_service, "FROM scratch\nCOPY plain-service /\n")

    def remove_when_tagged(line: str) -> None:
        if tagged := line.partition("Successfully tagged ")[2]:
            client.images.remove(tagged)

    with (
        closing(docker.from_env()) as client,
        pytest.raises(RuntimeFailure, match="free space") as failure,
    ):
        docker_runtime.build(request, remove_when_tagged, never)
    assert not isinstance(failure.value, BuildFailed)
    assert "Successfully tagged" in str(failure.value.fields["log"])


@pytest.mark.docker
def test_cancel_ends_a_silent_docker_build(
    docker_runtime: Runtime, plain_service: BuildRequest, tmp_path: Path
) -> None:
    dockerfile = 'FROM scratch\nCOPY plain-service /\nRUN ["/plain-service", "sleep"]\n'
    request = _docker_request(tmp_path, plain_service, dockerfile)
    lines: list[str] = []
    cancelled_at: list[float] = []

    def is_cancelled() -> bool:
        if any("Running in" in line for line in lines) and not cancelled_at:
            cancelled_at.append(time.monotonic())
        return bool(cancelled_at)

    with pytest.raises(CancelledByUser):
        docker_runtime.build(request, lines.append, is_cancelled)
    container = next(line for line in lines if "Running in" in line).split()[-1]
    client = docker.from_env()
    try:
        while client.containers.list(filters={"id": container}):
            assert seconds_since(cancelled_at[0]) < _CANCEL_S
    finally:
        client.close()
    assert seconds_since(cancelled_at[0]) < _CANCEL_S
