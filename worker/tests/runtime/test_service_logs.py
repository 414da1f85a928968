"""The log of a service stays small on disk, even if the service writes a lot."""

import os
import time
from dataclasses import replace
from pathlib import Path

from backend.core.catalog.manifest import ProcessRecipe
from backend.tests.waiting import LIMIT_S
from worker.runtime.base import BuildRequest
from worker.runtime.output import LOG_TAIL_BYTES
from worker.runtime.process import ProcessRuntime
from worker.runtime.process.service_logs import ServiceLogs
from worker.tests.runtime.bench import SERVICE, ignore, never, new_pod_spec, service_spec

_MEBIBYTE = 1024 * 1024


def test_a_long_log_is_emptied_and_its_tail_kept(tmp_path: Path) -> None:
    logs = ServiceLogs(tmp_path, os.geteuid())
    log = logs.create("service")
    for number in range(3):
        os.write(log, b"x" * 5 * _MEBIBYTE + b"\n%d ends\n" % number)
        logs.trim()
    os.write(log, b"last\n")

    assert (tmp_path / "service.log").stat().st_size == len("last\n")
    text = logs.read("service")
    assert text.endswith("2 ends\nlast\n")
    note, _, kept = text.partition("\n")
    assert len(kept) == LOG_TAIL_BYTES
    cut = int("".join(filter(str.isdigit, note)))
    assert 14 * _MEBIBYTE < cut < 15 * _MEBIBYTE
    logs.close()


def test_a_service_that_writes_endlessly_continues_in_an_emptied_file(
    process_runtime: ProcessRuntime, plain_service: BuildRequest
) -> None:
    recipe = ProcessRecipe(requires=(), run=("./plain-service", "repeat", "y\\n"))
    request = replace(plain_service, process=recipe)
    artifact = process_runtime.build(request, ignore, never)
    with process_runtime.open_pod(new_pod_spec()) as pod:
        pod.start(service_spec(artifact, request, pod.reserve_port(8080), {}))
        deadline = time.monotonic() + LIMIT_S
        while "of this log were cut" not in pod.logs(SERVICE):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert pod.is_running(SERVICE)
        assert len(pod.logs(SERVICE)) < LOG_TAIL_BYTES + 100
