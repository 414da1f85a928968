"""Pods of both runtimes: isolation, CPUs, logs, and a clean end."""

import json
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from backend.core.config import ROOT
from backend.core.cpus import parse_cpu_list
from backend.tests.waiting import LIMIT_S
from worker.loadgen.command import load_command
from worker.runtime.base import BuildRequest, PodRole, Runtime
from worker.runtime.errors import PodLost, RuntimeFailure
from worker.runtime.exit import Exit
from worker.tests.runtime.bench import (
    CPUS,
    MEMORY_MB,
    PLAIN_LOAD,
    SERVICE,
    Bench,
    ignore,
    never,
    new_pod_spec,
    open_bench,
    start_artifact,
    start_bench,
)


def test_a_service_is_pinned_and_isolated_and_sees_no_secret(
    runtime: Runtime, plain_service: BuildRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    with open_bench(runtime, plain_service, new_pod_spec()) as bench:
        facts = bench.facts()
    assert parse_cpu_list(facts["cpus"]) == CPUS.service
    assert facts["secret_visible"] is False
    assert facts["tmp_writable"] is True
    assert facts["interfaces"] == ["lo"]
    assert "unreachable" in facts["outside_error"]
    assert int(facts["capabilities"], 16) == 0
    assert facts["no_new_privs"] == "1"
    assert facts["root_writable"] is False


def test_a_service_gets_the_settings_of_its_language_runtime(
    runtime: Runtime, plain_service: BuildRequest
) -> None:
    artifact = runtime.build(plain_service, ignore, never)
    on_java = plain_service.docker.model_copy(update={"bases": ("java-run",)})
    request = replace(plain_service, docker=on_java)
    with runtime.open_pod(new_pod_spec()) as pod:
        bench = start_artifact(pod, artifact, request)
        options = bench.facts()["java_options"].split()
    assert options[:2] == [
        f"-XX:ActiveProcessorCount={len(CPUS.service)}",
        f"-Xmx{MEMORY_MB // 2}m",
    ]


def test_start_and_readiness_are_timed_and_mistakes_are_named(bench: Bench) -> None:
    begun_ns = bench.started.started_ns - time.monotonic_ns() + time.time_ns()
    assert 0 < bench.ready_wall_ns - begun_ns < 5e9
    assert abs(time.time_ns() - bench.ready_wall_ns) < 30e9
    with pytest.raises(RuntimeFailure, match="no service named nobody"):
        bench.pod.logs("nobody")
    with pytest.raises(RuntimeFailure, match="not a relative path"):
        bench.pod.put_files({"../outside.js": b""})


def test_an_ended_service_has_a_log_and_an_exit_code(bench: Bench) -> None:
    assert bench.pod.is_running(SERVICE)
    assert bench.pod.find_exit(SERVICE) is None
    bench.get("/exit")
    assert not bench.pod.is_running(SERVICE)
    assert bench.pod.find_exit(SERVICE) == Exit(code=3)
    assert "greeting the world" in bench.pod.logs(SERVICE)


def test_lines_arrive_while_the_command_runs_and_an_interrupt_ends_it(bench: Bench) -> None:
    command = ["k6", "run", "--quiet", f"{bench.scripts}/long.js"]
    execution = bench.pod.execute(command, {})
    lines = execution.lines()
    assert '"type":"tick"' in next(lines)
    with pytest.raises(TimeoutError):
        execution.wait(0.2)
    execution.interrupt()
    rest = list(lines)
    # The load would succeed after a minute.
    assert not execution.wait(LIMIT_S).is_success
    assert any('"type":"end"' in line for line in rest)
    execution.interrupt()  # harmless afterwards


def test_an_interrupt_right_after_the_start_ends_the_command(bench: Bench) -> None:
    execution = bench.pod.execute(["k6", "run", f"{bench.scripts}/long.js"], {})
    execution.interrupt()
    assert not execution.wait(LIMIT_S).is_success


def test_a_finished_load_ends_with_success(bench: Bench) -> None:
    library = ROOT / "services/scenarios/lib"
    files = {f"lib/{path.name}": path.read_bytes() for path in library.iterdir()}
    folder = bench.pod.put_files({"load.js": PLAIN_LOAD, **files})
    parameters = {"kind": "rate", "rate_rps": 20, "timeout_ms": 2000}
    span = {"warm_up_seconds": 0, "duration_seconds": 60}
    environment = {
        "TACHO_TARGET": bench.base_url,
        "TACHO_PARAMETERS": json.dumps(parameters | span),
    }
    execution = bench.pod.execute(load_command("k6", f"{folder}/load.js"), environment)
    lines = execution.lines()
    assert '"type":"start"' in next(lines)
    assert '"second":0' in next(lines)
    execution.finish()
    rest = list(lines)
    assert execution.wait(LIMIT_S).is_success, execution.stderr
    assert '"type":"end"' in rest[-1]
    assert not any('"second":59' in line for line in rest)
    execution.finish()  # harmless afterwards


def test_stderr_and_exit_code_of_a_failing_command(bench: Bench) -> None:
    execution = bench.pod.execute(["k6", "run", f"{bench.scripts}/missing.js"], {})
    assert list(execution.lines()) == []
    assert not execution.wait(LIMIT_S).is_success
    assert "missing.js" in execution.stderr


def test_removing_under_load_ends_the_command_and_leaves_nothing(
    runtime: Runtime, plain_service: BuildRequest
) -> None:
    spec = new_pod_spec()
    pod = runtime.open_pod(spec)
    bench = start_bench(runtime, pod, plain_service)
    execution = pod.execute(["k6", "run", f"{bench.scripts}/long.js"], {})
    next(execution.lines())
    assert (spec.trial_id, 1) in runtime.list_attempts()
    pod.remove()
    with suppress(PodLost):
        assert execution.wait(LIMIT_S) == Exit(signal_number=9)
    assert (spec.trial_id, 1) not in runtime.list_attempts()
    pod.remove()


def test_cpu_time_agrees_with_the_services_own(bench: Bench) -> None:
    before = bench.pod.read(PodRole.SERVICE)
    used_seconds = float(bench.get("/burn?seconds=1"))
    after = bench.pod.read(PodRole.SERVICE)
    assert after.cpu_seconds - before.cpu_seconds == pytest.approx(used_seconds, rel=0.03)
    assert after.source in {"cgroup_v1", "cgroup_v2"}
    assert bench.pod.read_cpu_seconds("service") == pytest.approx(after.cpu_seconds, rel=0.03)
    assert bench.pod.read(PodRole.LOAD).cpu_seconds > 0
    assert bench.pod.read(PodRole.BACKING).threads == 0


def test_memory_is_reported_by_kind(bench: Bench) -> None:
    before = bench.pod.read(PodRole.SERVICE)
    bench.get("/keep?mib=64")
    after = bench.pod.read(PodRole.SERVICE)
    grown = after.memory_anon_bytes - before.memory_anon_bytes
    assert grown == pytest.approx(64 * 2**20, rel=0.1)
    assert after.memory_peak_bytes >= after.memory_anon_bytes
    assert after.threads >= 3


def test_memory_limit_kills_the_service(bench: Bench) -> None:
    bench.get("/keep?mib=200")
    assert bench.pod.find_exit(SERVICE) == Exit(signal_number=9, is_out_of_memory=True)


def test_totals_remain_after_the_service_has_ended(bench: Bench) -> None:
    used_seconds = float(bench.get("/burn?seconds=0.5"))
    before = bench.pod.read(PodRole.SERVICE)
    bench.get("/exit")
    after = bench.pod.read(PodRole.SERVICE)
    assert after.cpu_seconds >= before.cpu_seconds > used_seconds * 0.97
    if after.source != "cgroup_v1":  # a group of version 1 exists longer than its process
        assert after.threads == 0
