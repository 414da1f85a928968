"""Links and other surprises that a build leaves do not lead the worker out of its folder."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from backend.core.catalog.manifest import ProcessRecipe
from backend.platform.tools import resolve_tools
from worker.runtime.base import BuildRequest
from worker.runtime.errors import BuildFailed
from worker.runtime.process import ProcessRuntime
from worker.tests.runtime.bench import (
    SERVICE,
    ignore,
    never,
    new_pod_spec,
    run_to_end,
    service_spec,
)


@pytest.fixture
def runtime(k6: Path, tmp_path: Path) -> ProcessRuntime:
    return ProcessRuntime(k6, tmp_path / "data", resolve_tools())


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the worker's user."""
    path = tmp_path / "victim" / "settings"
    path.parent.mkdir()
    path.write_text("secret")
    path.chmod(0o600)
    return path


def request_with(
    plain_service: BuildRequest, script: str, *, digest: str = "a", requires: tuple[str, ...] = ()
) -> BuildRequest:
    recipe = ProcessRecipe(
        requires=requires, build=(("sh", "-c", script),), run=("./plain-service",)
    )
    return replace(plain_service, digest=digest * 40, process=recipe)


def test_a_link_in_the_folder_of_a_build_is_not_followed(
    runtime: ProcessRuntime, plain_service: BuildRequest, victim: Path
) -> None:
    """Finding 1 of the review of 28 November 2026, first path."""
    script = f"for name in .tacho-built.new .tacho-built.json; do ln -s {victim} $name; done"
    request = request_with(plain_service, script)
    runtime.build(request, ignore, never)
    assert runtime.build(request, ignore, never).cached
    assert victim.read_text() == "secret"


def test_a_link_at_the_caches_of_a_build_is_not_followed(
    runtime: ProcessRuntime, plain_service: BuildRequest, victim: Path
) -> None:
    """Finding 1 of the review of 28 November 2026, second path."""
    script = f'rm -rf "$HOME/.cache"; ln -s {victim.parent} "$HOME/.cache"'
    runtime.build(request_with(plain_service, script), ignore, never)
    runtime.build(request_with(plain_service, "true", digest="b", requires=("go",)), ignore, never)
    assert list(victim.parent.iterdir()) == [victim]


@pytest.mark.acceptance
def test_the_first_build_with_go_finds_its_library(
    runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    lines: list[str] = []
    script = 'touch "$HOME/.cache/go-build/own"; ls "$HOME/.cache/go-build"'
    request = request_with(plain_service, script, requires=("go",))
    runtime.build(request, lines.append, never)
    assert len(lines) > 20


def test_a_build_that_fails_shows_its_log_and_cannot_pretend_that_it_finished(
    runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    note = json.dumps({"build_seconds": 1, "size_bytes": 1})
    pretend = f"for name in .tacho-built.json note.json; do echo '{note}' >$name; done"
    script = f"{pretend}; echo reason >&2; exit 4"
    request = request_with(plain_service, script)
    for _ in range(2):
        with pytest.raises(BuildFailed, match="exit code 4") as failure:
            runtime.build(request, ignore, never)
        assert "reason" in failure.value.log


def test_folders_of_too_many_levels_fail_the_build_and_are_removed(
    runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    levels = "d/" * 500
    nest = f"mkdir -p {levels} && cd -P {levels} && " * 3 + "true || exit 1"
    script = f'{nest}; cd "$HOME"; {nest}'
    with pytest.raises(BuildFailed, match="more than 200 levels"):
        runtime.build(request_with(plain_service, script), ignore, never)
    [item] = runtime.list_stored()
    item.remove()
    assert runtime.list_stored() == []
    assert not runtime.build(request_with(plain_service, "true"), ignore, never).cached


def test_a_service_gets_a_copy_with_links_pipes_and_sparse_files(
    runtime: ProcessRuntime, plain_service: BuildRequest, victim: Path
) -> None:
    script = f"ln -s {victim} link; mkfifo pipe; truncate -s 1T sparse; echo own >file"
    built = request_with(plain_service, script)
    request = replace(
        built,
        docker=built.docker.model_copy(update={"read_only": False}),
        process=ProcessRecipe(
            requires=(),
            build=(("sh", "-c", script),),
            run=("sh", "-c", "ls -l; cat file link; echo x >link; exec ./plain-service"),
        ),
    )
    free_bytes = shutil.disk_usage(victim.parent).free
    artifact = runtime.build(request, ignore, never)
    assert artifact.size_bytes < 100 * 1024**2
    with runtime.open_pod(new_pod_spec()) as pod:
        pod.start(service_spec(artifact, request, pod.reserve_port(8080), {}))
        assert free_bytes - shutil.disk_usage(victim.parent).free < 1024**3
        while pod.is_running(SERVICE) and "own" not in pod.logs(SERVICE):
            pass
        log = pod.logs(SERVICE)
    assert "secret" not in log
    assert "prw" in log
    assert victim.read_text() == "secret"


def test_a_build_of_another_user_is_built_again(
    runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root builds as another user")
    request = request_with(plain_service, "echo built >made")
    artifact = runtime.build(request, ignore, never)
    assert runtime.build(request, ignore, never).cached
    os.chown(artifact.reference, 12_345, 12_345)
    assert not runtime.build(request, ignore, never).cached
    assert Path(artifact.reference).stat().st_uid != 12_345


def test_a_service_cannot_make_its_log_unreadable(
    runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    script = "echo begun; chmod 0 /proc/self/fd/1; truncate -s 1T /proc/self/fd/1; echo ended"
    built = request_with(plain_service, "true")
    recipe = ProcessRecipe(requires=(), run=("sh", "-c", script))
    _, log = run_to_end(runtime, replace(built, process=recipe))
    assert "ended" in log


def test_a_cache_from_the_future_does_not_stay_forever(
    runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    script = 'touch -d 2400-01-01 "$HOME"'
    runtime.build(request_with(plain_service, script), ignore, never)
    years = {item.kind.name: item.used_at.year for item in runtime.list_stored()}
    assert years["CACHE"] == 1970
