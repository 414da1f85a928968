"""A k6 script sends the load of a trial, in a real pod."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from backend.core.config import ROOT
from backend.core.statuses import TrialStatus
from backend.core.units import Phase, ProfileKind
from worker.loadgen.script import ScriptFailed
from worker.runtime.base import Pod
from worker.runtime.process import ProcessRuntime
from worker.stages.context import TrialContext
from worker.stages.runner import StageOutputs, run_stages
from worker.tests.stages.contexts import RecordedProgress, make_assignment, make_context

SCENARIO = """\
slug = "scripted"
name = "Scripted"
description = "A script of the tests."
path = "/hello"
script = "load/main.js"

[profiles.load]
kind = "script"
description = "As the script does."

[profiles.load.quick]
warm_up_seconds = 1
duration_seconds = 2

[profiles.load.full]
warm_up_seconds = 1
duration_seconds = 2
"""
SCRIPT = """\
import http from 'k6/http';
import { sleep } from 'k6';
import { path } from './paths.js';

const { query } = JSON.parse(open('./query.json'));
export const options = {
  vus: 2,
  duration: 'DURATION',
  thresholds: { http_req_duration: ['max<0.001'] },
};
export default function () {
  http.get(`${__ENV.BASE_URL}${path}?${query}`);
  sleep(0.05);
}
"""


def run(runtime: ProcessRuntime, root: Path, duration: str) -> tuple[StageOutputs, TrialContext]:
    """Run a trial of a script that lasts as long as given, with a catalogue below `root`."""
    node = root / "frameworks/javascript/node"
    shutil.copytree(ROOT / "services/frameworks/javascript/node", node)
    manifest = node / "service.toml"
    kept = manifest.read_text().partition("[scenarios.")[0]
    manifest.write_text(f"{kept}[scenarios.scripted]\n")
    shutil.copytree(ROOT / "services/scenarios/lib", root / "scenarios/lib")
    scenario = root / "scenarios/scripted"
    (scenario / "load").mkdir(parents=True)
    (scenario / "scenario.toml").write_text(SCENARIO)
    (scenario / "load/main.js").write_text(SCRIPT.replace("DURATION", duration))
    (scenario / "load/paths.js").write_text("export const path = '/hello';\n")
    (scenario / "load/query.json").write_text('{"query": "nonce=a"}')
    shutil.copy(ROOT / "services/scenarios/hello/verify.js", scenario)
    shutil.copy(ROOT / "services/scenarios/hello/requests.js", scenario)
    parameters = {"warm_up_seconds": 1, "duration_seconds": 2, "timeout_ms": 1000}
    assignment = replace(
        make_assignment("node", "scripted"), kind=ProfileKind.SCRIPT, parameters=parameters
    )
    context = make_context(runtime, assignment)
    context = replace(context, bench=replace(context.bench, services_dir=root))

    def keep(_context: TrialContext, _pod: Pod, outputs: StageOutputs) -> StageOutputs:
        return outputs

    return run_stages(context, keep), context


def test_a_script_is_measured_and_its_failed_threshold_is_reported(
    process_runtime: ProcessRuntime, tmp_path: Path
) -> None:
    outputs, context = run(process_runtime, tmp_path, "600s")

    load = outputs.load
    phases = [second.phase for second in load.seconds]
    assert phases == [Phase.WARM_UP] + [Phase.MEASURE] * 2
    assert all(second.requests > 0 and second.failed == 0 for second in load.seconds)
    assert all(second.cpu_service_seconds is not None for second in load.seconds)
    assert load.warm_up.is_steady is None
    assert load.end.script is not None
    assert [threshold.passed for threshold in load.end.script.thresholds] == [False]
    progress = context.progress
    assert isinstance(progress, RecordedProgress)
    assert TrialStatus.MEASURING in progress.stages


def test_a_script_that_is_too_short_fails_the_trial(
    process_runtime: ProcessRuntime, tmp_path: Path
) -> None:
    with pytest.raises(ScriptFailed, match="ended after 1 s, but Tacho needs 3 s"):
        run(process_runtime, tmp_path, "1s")
