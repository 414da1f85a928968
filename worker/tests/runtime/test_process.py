"""Cases of the process runtime only: missing programs, no control groups."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backend.core.catalog.manifest import ProcessRecipe
from backend.core.units import Isolation
from backend.tests.waiting import LIMIT_S
from worker.runtime.base import BuildRequest, PodRole
from worker.runtime.errors import RuntimeFailure
from worker.runtime.exit import Exit
from worker.runtime.process import ProcessRuntime, spawn
from worker.runtime.process.groups import find_group_tree, parse_own_groups
from worker.runtime.process.sandbox import SERVICE_UID
from worker.tests.runtime.bench import (
    CPUS,
    SERVICE,
    ignore,
    never,
    new_pod_spec,
    open_bench,
    run_to_end,
    service_spec,
)


def test_a_missing_program_ends_with_127_and_a_message(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    recipe = ProcessRecipe(requires=(), run=("./missing-program",))
    request = replace(plain_service, process=recipe)
    end, log = run_to_end(process_runtime, request)
    assert end == Exit(code=127)
    assert "missing-program" in log


def test_counters_without_control_groups(
    k6: Path, tmp_path: Path, plain_service: BuildRequest
) -> None:
    runtime = ProcessRuntime(k6, tmp_path, {}, use_cgroups=False)
    with open_bench(runtime, plain_service, new_pod_spec()) as bench:
        before = bench.pod.read(PodRole.SERVICE)
        used_seconds = float(bench.get("/burn?seconds=1"))
        after = bench.pod.read(PodRole.SERVICE)
        bench.get("/keep?mib=64")
        kept = bench.pod.read(PodRole.SERVICE)
        threads = kept.threads
        bench.get("/fork")
        forked = bench.pod.read(PodRole.SERVICE)
    assert runtime.describe().memory_fault
    assert after.source == "process"
    assert after.cpu_seconds - before.cpu_seconds == pytest.approx(used_seconds, rel=0.03)
    assert kept.memory_anon_bytes - after.memory_anon_bytes == pytest.approx(64 * 2**20, rel=0.1)
    assert forked.threads > threads


def test_a_jvm_follows_the_rule_of_its_language(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    run = ("{java}", "-XX:+PrintFlagsFinal", "-version")
    on_java = plain_service.docker.model_copy(update={"bases": ("java-run",)})
    recipe = ProcessRecipe(requires=("java>=17",), run=run)
    request = replace(plain_service, process=recipe, docker=on_java)
    flags = _parse_flags(run_to_end(process_runtime, request, memory_mb=1024)[1])
    is_single = len(CPUS.service) == 1
    assert flags["ActiveProcessorCount"] == str(len(CPUS.service))
    assert flags["MaxHeapSize"] == str(512 * 1024**2)
    assert flags["UseSerialGC"] == ("true" if is_single else "false")
    assert flags["UseG1GC"] == ("false" if is_single else "true")


def _parse_flags(log: str) -> dict[str, str]:
    """Return the values of a JVM's flags by name: `int ActiveProcessorCount = 1 {product}`."""
    fields = (line.split() for line in log.splitlines() if " = " in line)
    return {name: value for _type, name, _equals, value, *_origin in fields}


def test_open_files_are_limited(
    process_runtime: ProcessRuntime, plain_service: BuildRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawn, "MAX_OPEN_FILES", 123)
    recipe = ProcessRecipe(requires=(), run=("sh", "-c", "ulimit -Sn; ulimit -Hn"))
    request = replace(plain_service, process=recipe)
    _, log = run_to_end(process_runtime, request)
    assert log.split() == ["123", "123"]


@pytest.fixture
def ignored_sigint() -> Iterator[None]:
    """Ignore SIGINT, as in a child of a Celery worker; programs inherit that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ignored_sigint")
def test_an_interrupt_works_although_the_worker_ignores_it(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    with open_bench(process_runtime, plain_service, new_pod_spec()) as bench:
        command = ["k6", "run", "--quiet", f"{bench.scripts}/long.js"]
        execution = bench.pod.execute(command, {})
        next(execution.lines())
        execution.interrupt()
        assert execution.wait(LIMIT_S) == Exit(code=105)


def test_a_repeated_trial_gets_an_empty_folder(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    spec = new_pod_spec()
    first = process_runtime.open_pod(spec)
    artifact = process_runtime.build(plain_service, ignore, never)
    first.start(service_spec(artifact, plain_service, first.reserve_port(8080), {}))
    with process_runtime.open_pod(spec) as again:
        assert not first.is_running(SERVICE)
        again.start(service_spec(artifact, plain_service, again.reserve_port(8080), {}))
        assert again.is_running(SERVICE)
        assert again.is_running(SERVICE)
    first.remove()


def test_a_service_that_writes_to_its_folder_changes_only_a_copy(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    script = "echo made > made.txt && cat made.txt && exec ./plain-service"
    request = replace(
        plain_service,
        docker=plain_service.docker.model_copy(update={"read_only": False}),
        process=ProcessRecipe(requires=(), run=("sh", "-c", script)),
    )
    with open_bench(process_runtime, request, new_pod_spec()) as bench:
        assert bench.pod.logs(SERVICE).startswith("made\n")
    artifact = process_runtime.build(request, ignore, never)
    assert not Path(artifact.reference, "made.txt").exists()


def test_a_service_is_a_user_without_rights(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    with open_bench(process_runtime, plain_service, new_pod_spec()) as bench:
        uid = int(bench.facts()["uid"])
    assert process_runtime.describe().isolation is Isolation.NAMESPACES_FILTER
    assert process_runtime.describe().memory_fault == ""
    assert uid == (SERVICE_UID if os.geteuid() == 0 else os.geteuid())


def test_trial_ids_cannot_leave_the_folder(process_runtime: ProcessRuntime) -> None:
    with pytest.raises(RuntimeFailure, match="not the id of a trial"):
        process_runtime.remove_attempt("../../etc", 1)


def test_a_host_without_control_groups_limits_no_memory(tmp_path: Path, k6: Path) -> None:
    tree, reason = find_group_tree(tmp_path)

    assert tree is None
    assert reason == f"{tmp_path} has no control groups for memory and processes"
    assert ProcessRuntime(k6, tmp_path, {}, cgroup_root=tmp_path).describe().memory_fault == reason


def test_a_worker_that_may_not_make_control_groups_limits_no_memory(tmp_path: Path) -> None:
    for controller in ("cpuacct", "memory", "pids"):
        (tmp_path / controller).mkdir()
        # Not even root can make a folder here.
        (tmp_path / controller / "tacho").write_text("")

    tree, reason = find_group_tree(tmp_path)

    assert tree is None
    assert reason.startswith(f"the worker may not make control groups in {tmp_path}/")


def test_own_groups_of_both_versions() -> None:
    text = "9:name=systemd:/\n5:cpu,cpuacct:/a:b\n4:memory:/c\n0::/user.slice\n"
    assert parse_own_groups(text) == {
        "name=systemd": "/",
        "cpu": "/a:b",
        "cpuacct": "/a:b",
        "memory": "/c",
        "": "/user.slice",
    }


def test_no_descriptor_is_left_after_a_pod(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    counts = []
    for _ in range(3):
        with open_bench(process_runtime, plain_service, new_pod_spec()) as bench:
            bench.facts()
        counts.append(len(list(Path("/proc/self/fd").iterdir())))
    assert counts[1] == counts[2]
