"""The source of a load."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from backend.core.units import ProfileKind
from worker.loadgen.script import ScriptFailed
from worker.runtime.base import Pod, Runtime
from worker.stages.build import Materials
from worker.stages.source import open_source
from worker.stages.start import ReadyService
from worker.tests.stages.contexts import make_assignment, make_context


def test_load_hosts_refuse_scripts() -> None:
    assignment = replace(
        make_assignment("node", "hello"), kind=ProfileKind.SCRIPT, load_hosts=("other",)
    )
    context = make_context(cast("Runtime", None), assignment)
    scenario = context.bench.read_catalogue().get_scenario("hello")[0]
    scenario = scenario.model_copy(update={"script": "script/main.js"})
    materials = cast("Materials", SimpleNamespace(scenario=scenario))
    pod, ready = cast("Pod", None), cast("ReadyService", None)

    with (
        pytest.raises(ScriptFailed, match=r"Load hosts cannot run the k6 script script/main\.js"),
        open_source(context, pod, ready, materials),
    ):
        pass
